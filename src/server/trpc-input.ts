import superjson, { type SuperJSONResult } from 'superjson';
import { refuse } from '@/server/errors';
import { holdsUnstorableText } from '@/server/storable-text';

/** Types that JSON lacks and that an input may hold. Others, made up from what a stranger sends, cost what they please. */
const knownTypes: ReadonlySet<unknown> = new Set(['undefined', 'number']);
const mostTyped = 1_000;
const deepest = 16;

/** Whether an annotation (`[type, children]` or children alone, by path) is small and names known types only. */
function isPlain(annotation: unknown): boolean {
  const left = [{ node: annotation, depth: 0 }];
  for (let count = 1; ; count += 1) {
    const next = left.pop();
    if (!next) return true;
    const { node, depth } = next;
    if (typeof node !== 'object' || node === null || depth > deepest || count > mostTyped) return false;
    const [type, children] = Array.isArray(node) ? node : ['undefined', node];
    if (!knownTypes.has(type)) return false;
    for (const child of Object.values(children ?? {})) left.push({ node: child, depth: depth + 1 });
  }
}

/**
 * What a caller of a procedure sent, as its schema sees it. Objects that stand in several places are read where they
 * stand: references to one another would make a small body a huge input.
 * @throws VALIDATION_FAILED for types other than absence and numbers that JSON cannot say, and for text that cannot be kept
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
