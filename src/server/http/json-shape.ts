import { type Refusal, refuse } from '@/server/errors';

/** Levels of objects and lists within each other; no input of ours has a fifth of it. */
const maxDepth = 100;
/** Fields of one object; the pages annotate at most as many values of an input. */
const maxFields = 1_000;
/** Values in all; the largest draw that a body has room for has half of it. */
const maxValues = 150_000;
/** Bytes of a text that is small enough to be parsed whatever its shape. */
const harmlessBytes = 4_096;

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = Buffer.from('"\\,[]{}');

/**
 * Whether a JSON text nests deeper, or is wider, than any input is. To parse and to check a mebibyte of brackets takes the
 * process longer than all else that a request may cost.
 */
export function isMisshapen(text: Buffer): boolean {
  if (text.length <= harmlessBytes) return false;
  /** Fields so far of the object at each level; of lists nothing is counted. */
  const fields = new Float64Array(maxDepth + 1);
  let [depth, values] = [0, 0];
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (inText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === openList || byte === openObject) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return true;
      fields[depth] = byte === openObject ? 1 : Number.NEGATIVE_INFINITY;
    } else if (byte === closeList || byte === closeObject) depth = Math.max(0, depth - 1);
    else if (byte === comma) {
      values += 1;
      fields[depth] = (fields[depth] ?? 0) + 1;
      if (values > maxValues || (fields[depth] ?? 0) > maxFields) return true;
    }
  }
  return false;
}

/** The refusal of such a text. */
export function misshapen(): Refusal {
  const message = `The JSON nests too deep, has an object of more than ${maxFields} fields, or has too many values.`;
  return refuse('VALIDATION_FAILED', { issues: [{ path: '', message }] });
}
