import { encodeTime } from 'ulid';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** Of the 80 random bits of an id, as two halves. */
const half = 2 ** 40;

const pool = new BigUint64Array(128);
let used = pool.length;

/** 40 secure random bits, read a pool at a time: each read has a fixed cost. */
function random(): number {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const bits = pool[used] ?? 0n;
  used += 1;
  return Number(bits & 0xff_ffff_ffffn);
}

/** 40 bits as eight characters of Crockford base 32. */
function encodeHalf(bits: number): string {
  let text = '';
  for (let rest = bits, at = 0; at < 8; at += 1) {
    text = (alphabet[rest % 32] ?? '') + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

let time = 0;
let timeText = '';
let [high, low] = [0, 0];

/**
 * A ULID that is greater than those before it. Within a millisecond it is ahead of the last one by a random number: ids of others, some of
 * which open what they name, would be the next ones of one's own.
 */
function nextUlid(): string {
  const now = Date.now();
  if (now > time) {
    time = now;
    timeText = encodeTime(now, 10).toLowerCase();
    [high, low] = [random(), random()];
    // What is added within the millisecond has to fit.
    if (high >= half / 2) high -= half / 2;
  } else {
    low += 1 + random();
    if (low >= half) [high, low] = [high + Math.floor(low / half), low % half];
  }
  return timeText + encodeHalf(high) + encodeHalf(low);
}

/** The prefixes of all public ids. They say in a log what an id belongs to. */
export type IdPrefix =
  | 'prj'
  | 'usr'
  | 'trn'
  | 'prt'
  | 'rch'
  | 'tem'
  | 'tiv'
  | 'mat'
  | 'stg'
  | 'mev'
  | 'mms'
  | 'sta'
  | 'evt'
  | 'whs'
  | 'whd'
  | 'wha'
  | 'whr'
  | 'key'
  | 'inv'
  | 'clm'
  | 'rft'
  | 'pat'
  | 'emt'
  | 'eml'
  | 'aud'
  | 'med'
  | 'acl'
  | 'acs'
  | 'acr'
  | 'det'
  | 'req';

/** A new opaque id, ordered by time within a process: `trn_01k…` (26 characters of Crockford base 32 after the prefix). */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${nextUlid()}`;
}
