import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { z } from 'zod';

/**
 * Large outputs that are answered again and again: the schema they were checked by, and their JSON once someone needed
 * it.
 */
type Kept = { schema: z.ZodType; text: string | null; wrapped: { before: string; after: string; text: string } | null };
const kept = new WeakMap<object, Kept>();

const keptOf = (value: unknown) => (typeof value === 'object' && value !== null ? kept.get(value) : undefined);

/**
 * The same schema, validated several times faster: zod compiles only its synchronous path, and tRPC prefers the
 * asynchronous one. What `keep` has checked is not checked again. Not for schemas with an asynchronous refinement.
 */
export function compiled<T extends z.ZodType>(schema: T): T {
  const isChecked = (value: unknown) => keptOf(value)?.schema === schema;
  return Object.assign(schema, {
    parseAsync: async (value: unknown) => (isChecked(value) ? value : schema.parse(value)),
  });
}

/**
 * An output as it is answered, checked by a compiled schema, and then neither checked nor written as JSON again. Do not
 * change it.
 */
export function keep<T extends z.ZodType>(schema: T, output: z.input<T>): z.output<T> {
  const checked = schema.parse(output);
  if (typeof checked === 'object' && checked !== null) kept.set(checked, { schema, text: null, wrapped: null });
  return checked;
}

/** Whether `keep` has checked this value by this schema. */
export function isKept(schema: z.ZodType, value: unknown): boolean {
  return keptOf(value)?.schema === schema;
}

/**
 * An output as JSON. What was kept, alone or as a field of an envelope, is written once: the text is the same one every
 * time.
 */
export function toJson(output: unknown): string | undefined {
  const known = keptOf(output);
  if (known) {
    known.text ??= JSON.stringify(output);
    return known.text;
  }
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return JSON.stringify(output);
  const fields = Object.entries(output);
  const at = fields.findIndex(([, value]) => keptOf(value));
  const [name, value] = fields[at] ?? [];
  const inside = keptOf(value);
  if (!inside) return JSON.stringify(output);
  const opening = JSON.stringify(Object.fromEntries(fields.slice(0, at))).slice(0, -1);
  const before = `${opening}${at > 0 ? ',' : ''}${JSON.stringify(name)}:`;
  const closing = JSON.stringify(Object.fromEntries(fields.slice(at + 1)));
  const after = closing === '{}' ? closing.slice(1) : `,${closing.slice(1)}`;
  if (inside.wrapped?.before !== before || inside.wrapped.after !== after) {
    inside.wrapped = { before, after, text: before + toJson(value) + after };
  }
  return inside.wrapped.text;
}

const aside = new AsyncLocalStorage<Map<string, unknown>>();

/** What stands for a kept output until `fillIn` has its JSON; any other output as it is. */
export function setAside(output: unknown): unknown {
  const outputs = aside.getStore();
  if (!outputs || !keptOf(output)) return output;
  const name = randomUUID();
  outputs.set(name, output);
  return name;
}

/** The JSON that `write` makes, where kept outputs were set aside, with their JSON in it: theirs is not written again. */
export async function fillIn(write: () => Promise<string>): Promise<string> {
  const outputs = new Map<string, unknown>();
  let text = await aside.run(outputs, write);
  for (const [name, output] of outputs) text = text.replace(`"${name}"`, () => toJson(output) ?? 'null');
  return text;
}
