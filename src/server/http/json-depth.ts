import { type Refusal, refuse } from '@/server/errors';

/** Levels of objects and lists within each other; no input of ours has a fifth of it. */
const maxDepth = 100;
/** Bytes of a text that is small enough to be parsed whatever it nests. */
const harmlessBytes = 4_096;

const [quote, backslash, openList, closeList, openObject, closeObject] = Buffer.from('"\\[]{}');

/**
 * Whether a JSON text nests deeper than any input does. To parse a mebibyte of brackets takes the process longer than all
 * else that a request may cost.
 */
export function nestsTooDeep(text: Buffer): boolean {
  if (text.length <= harmlessBytes) return false;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (inText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === openList || byte === openObject) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (byte === closeList || byte === closeObject) depth -= 1;
  }
  return false;
}

/** The refusal of such a text. */
export function tooDeep(): Refusal {
  return refuse('VALIDATION_FAILED', { issues: [{ path: '', message: 'The JSON nests too deep.' }] });
}
