import { z } from 'zod';
import { type Sent, transformer } from '@/domain/network/transformer';
import { maxIssues, refuse } from '@/server/errors';
import { holdsUnstorableText } from '@/server/storable-text';

/** What superjson notes beside JSON: the types of values by their paths, such as `{ "a.b": ["undefined"] }`. */
type Noted = Sent & { meta?: { values?: unknown } | null };

const maxNotes = 1_000;
const maxPathLength = 200;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Takes out of an input what a note says is undefined, which JSON has as null. @returns whether it says that */
function takeOut(input: unknown, path: string, note: unknown): boolean {
  if (path.length > maxPathLength || !Array.isArray(note) || note[0] !== 'undefined') return false;
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const holder = keys.reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : null), input);
  if (isObject(holder)) Reflect.deleteProperty(holder, last);
  return true;
}

/**
 * The input of a procedure. Of what superjson notes beside it, which pages of earlier versions send, only what is undefined
 * counts: to make other types, or to follow references, can take minutes for a small body.
 * @throws VALIDATION_FAILED for other notes, and for text that cannot be stored
 */
export function readInput(sent: Noted | undefined): unknown {
  const input = transformer.deserialize(sent);
  const issue = (message: string) => refuse('VALIDATION_FAILED', { issues: [{ path: '', message }] });
  if (holdsUnstorableText(input)) throw issue('Text may not contain NUL characters or unpaired surrogates.');
  const values = sent?.meta?.values ?? {};
  const notes = isObject(values) ? Object.entries(values) : null;
  if (!notes || notes.length > maxNotes || !notes.every(([path, note]) => takeOut(input, path, note))) {
    throw issue('Send plain JSON, without special types.');
  }
  return input;
}

/** The issues found by each validation of an input that is under way, by its context. */
const found = new WeakMap<object, number>();
const bounded = { members: new WeakSet<z.core.$ZodType>(), inputs: new WeakSet<z.core.$ZodType>() };

/** Has the members of a list be looked at no more once the validation of an input has found as many issues as a response lists. */
function stopWithin(member: z.core.$ZodType): void {
  if (bounded.members.has(member)) return;
  bounded.members.add(member);
  const { run } = member._zod;
  member._zod.run = (payload, context) => {
    const before = found.get(context);
    if (before === undefined) return run(payload, context);
    if (before >= maxIssues) {
      // It has to be an issue, since nobody has looked at it.
      payload.issues.push({ code: 'custom', message: 'was not checked', input: undefined, inst: member });
      return payload;
    }
    const count = (result: z.core.ParsePayload) => {
      const own = result.issues.length;
      // What failed within a member that is right was one of several ways to be right.
      found.set(context, own === 0 ? before : Math.max(found.get(context) ?? 0, before + own));
      return result;
    };
    const result = run(payload, context);
    return result instanceof Promise ? result.then(count) : count(result);
  };
}

/** Has the members of all lists in a schema, and in what is in it, stop so. */
function stopInLists(schema: unknown, seen = new Set<unknown>()): void {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return;
  seen.add(schema);
  if (!(schema instanceof z.core.$ZodType)) {
    if (Array.isArray(schema)) for (const part of schema) stopInLists(part, seen);
    return;
  }
  const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] };
  const members = 'element' in def ? [def.element] : 'valueType' in def ? [def.valueType] : [];
  for (const member of members) stopWithin(member);
  const fields = 'shape' in def ? Object.values(def.shape) : [];
  for (const part of [...Object.values(def), ...fields]) stopInLists(part, seen);
}

/**
 * Bounds what validation takes by a schema that strangers' input is checked against: to find and describe tens of thousands of
 * issues in a small body takes seconds, and a response lists a hundred.
 */
export function boundIssues(input: z.core.$ZodType): void {
  // Several procedures share one.
  if (bounded.inputs.has(input)) return;
  bounded.inputs.add(input);
  stopInLists(input);
  const { run } = input._zod;
  input._zod.run = (payload, context) => {
    found.set(context, 0);
    return run(payload, context);
  };
}
