import { type Sent, transformer } from '@/domain/network/transformer';
import { refuse } from '@/server/errors';
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
