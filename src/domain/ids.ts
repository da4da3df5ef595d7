import { monotonicFactory } from 'ulid';

const pool = new Uint8Array(1024);
let used = pool.length;

/** Secure random bytes, read a pool at a time: the library asks for one byte per call, and each read has a fixed cost. */
function random(): number {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const byte = pool[used] ?? 0;
  used += 1;
  return byte / 256;
}

const ulid = monotonicFactory(random);

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
  return `${prefix}_${ulid().toLowerCase()}`;
}
