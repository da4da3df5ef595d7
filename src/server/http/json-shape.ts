import { randomInt } from 'node:crypto';
import { type Refusal, refuse } from '@/server/errors';
import { parsedAtOnce } from '@/server/http/turns/bodies';
import { letOthersIn } from '@/server/limits/thread-meter';

/** Whether a `Content-Type` announces JSON as we read it. */
export function isJson(contentType: string): boolean {
  const [type, ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters
    .find((part) => part.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  return type === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8');
}

/** Levels of objects and lists within each other; no input of ours has a fifth of it. */
const maxDepth = 100;
/** Fields of one object; the pages annotate at most as many values of an input. */
const maxFields = 1_000;
/** Values in all; the largest draw that a body has room for has half of it. */
const maxValues = 150_000;
/** Objects in all; of a draw that fills a body, two thirds as many. */
const maxObjects = 30_000;
/**
 * As how many objects each different beginning of one counts: a key with all keys before it in its object, in their order. V8 makes
 * a hidden class for each, which takes as long as several objects, and after some thousand of them a hash table of each object
 * with a new first key. 26 keys in all orders are enough for a hundred thousand. Match events have the most: 500 in a body may
 * each have some keys of the game's own.
 */
const beginningWeight = 10;
/** The largest and the smallest number, whatever its sign. */
const maxNumber = 1e20;
const minNumber = 1e-20;
/** Characters of a number that is between them, if it has no exponent. */
const plainLength = 20;

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = Buffer.from('"\\,[]{}');
const [zero = 0, nine = 0] = Buffer.from('09');
/** Some readers of JSON skip it and others refuse it. */
const byteOrderMark = Buffer.from('\ufeff');
/** The bytes of a number after its first digit. */
const inNumber = new Set(Buffer.from('0123456789.+-eE'));
const exponents = new Set(Buffer.from('eE'));

/** Of this process alone, so that nobody can choose keys that have the same hash. */
const [seed, factor] = [randomInt(2 ** 32) | 0, randomInt(2 ** 31) * 2 + 1];

/** The hash of a part of a text, and of what had a hash before it. */
function hashOf(text: Buffer, start: number, end: number, before: number): number {
  let hash = before;
  for (let at = start; at < end; at += 1) {
    hash = Math.imul(hash ^ (text[at] ?? 0), factor);
    hash ^= hash >>> 15;
  }
  return hash;
}

/**
 * Whether a JSON text begins with a byte order mark, nests deeper, or is wider or more varied, than any input is, or has a number
 * out of range. To parse and to
 * check a mebibyte of brackets takes the process longer than all else that a request may cost, and PostgreSQL writes 1e308 with
 * 309 digits: what stores a list of such numbers is fifty times as long when it is read.
 */
export function isMisshapen(text: Buffer): boolean {
  if (text.subarray(0, byteOrderMark.length).equals(byteOrderMark)) return true;
  /** Fields so far of the object at each level; of lists nothing is counted. */
  const fields = new Float64Array(maxDepth + 1);
  /** The hash of the keys so far of the object at each level. */
  const keys = new Int32Array(maxDepth + 1);
  const beginnings = new Set<number>();
  let [depth, values, objects] = [0, 0, 0];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === quote) {
      const start = at + 1;
      for (at = start; at < text.length && text[at] !== quote; at += 1) if (text[at] === backslash) at += 1;
      if (!isKeyNext) continue;
      // With the quote, which tells "ab" from "a" and "b".
      const hash = hashOf(text, start, at + 1, keys[depth] ?? 0);
      keys[depth] = hash;
      isKeyNext = false;
      if (!beginnings.has(hash)) objects += beginningWeight;
      beginnings.add(hash);
      if (objects > maxObjects) return true;
    } else if (byte === openList || byte === openObject) {
      depth += 1;
      values += 1;
      isKeyNext = byte === openObject;
      if (isKeyNext) objects += 1;
      if (depth > maxDepth || objects > maxObjects) return true;
      fields[depth] = isKeyNext ? 1 : Number.NEGATIVE_INFINITY;
      keys[depth] = seed;
    } else if (byte === closeList || byte === closeObject) {
      depth = Math.max(0, depth - 1);
      isKeyNext = false;
    } else if (byte === comma) {
      values += 1;
      fields[depth] = (fields[depth] ?? 0) + 1;
      if (values > maxValues || (fields[depth] ?? 0) > maxFields) return true;
      isKeyNext = (fields[depth] ?? 0) > 0;
    } else if (byte !== undefined && byte >= zero && byte <= nine) {
      const start = at;
      let hasExponent = false;
      for (let next = text[at + 1]; next !== undefined && inNumber.has(next); next = text[at + 1]) {
        hasExponent ||= exponents.has(next);
        at += 1;
      }
      const isLong = hasExponent || at - start >= plainLength;
      if (isLong && isOutOfRange(Number(text.toString('latin1', start, at + 1)))) return true;
    }
  }
  return false;
}

const isOutOfRange = (number: number) => number > maxNumber || (number > 0 && number < minNumber);

/** The refusal of such a text. */
function misshapen(): Refusal {
  const message = `The JSON begins with a byte order mark, nests too deep, has an object of more than ${maxFields} fields, too many values, objects or different keys, or a number beyond 1e20 or 1e-20.`;
  return refuse('VALIDATION_FAILED', { issues: [{ path: '', message }] });
}

/** Lets others have the thread between two steps of a body of which each takes milliseconds. */
export async function pauseBetweenSteps({ length }: Buffer): Promise<void> {
  if (length > parsedAtOnce) await letOthersIn();
}

/**
 * Looks at the shape of a body before it is parsed.
 * @throws VALIDATION_FAILED when it is misshapen
 */
export async function requireShape(body: Buffer): Promise<void> {
  if (isMisshapen(body)) throw misshapen();
  await pauseBetweenSteps(body);
}
