import superjson, { type SuperJSONResult } from 'superjson';
import { refuse } from '@/server/errors';
import { holdsUnstorableText } from '@/server/storable-text';

/** The types beyond JSON that an input may contain. Others could make deserializing expensive. */
const knownTypes: ReadonlySet<unknown> = new Set(['undefined', 'number']);
const maxAnnotations = 1_000;
const maxDepth = 16;

/** Whether an annotation (`[type, children]` or only children, by path) is small and only has known types. */
function isPlain(annotation: unknown): boolean {
  const remaining = [{ node: annotation, depth: 0 }];
  for (let count = 1; ; count += 1) {
    const next = remaining.pop();
    if (!next) return true;
    const { node, depth } = next;
    if (typeof node !== 'object' || node === null || depth > maxDepth || count > maxAnnotations) return false;
    const [type, children] = Array.isArray(node) ? node : ['undefined', node];
    if (!knownTypes.has(type)) return false;
    for (const child of Object.values(children ?? {})) remaining.push({ node: child, depth: depth + 1 });
  }
}

/**
 * Deserializes the input of a procedure. References between objects are ignored, since with them a small body could become
 * a huge input.
 * @throws VALIDATION_FAILED for types other than `undefined` and special numbers, and for text that cannot be stored
 */
export function readInput(sent: SuperJSONResult): unknown {
  const { json, meta } = (sent ?? {}) as Partial<SuperJSONResult>;
  const values = meta?.values;
  if (holdsUnstorableText(json)) {
    const message = 'Text may not contain NUL characters or unpaired surrogates.';
    throw refuse('VALIDATION_FAILED', { issues: [{ path: '', message }] });
  }
  if (!values) return json;
  if (!isPlain(values)) {
    throw refuse('VALIDATION_FAILED', { issues: [{ path: '', message: 'Send plain JSON, without special types.' }] });
  }
  return superjson.deserialize({ json: json ?? null, meta: { values, v: meta.v } });
}
