import { monotonicFactory } from 'ulid';

const ulid = monotonicFactory();

/** Prefixes of every public id; a reader of a log can tell what an id names. */
export type IdPrefix =
  | 'prj'
  | 'usr'
  | 'trn'
  | 'prt'
  | 'tem'
  | 'mat'
  | 'evt'
  | 'whs'
  | 'whd'
  | 'wha'
  | 'key'
  | 'inv'
  | 'rft'
  | 'pat'
  | 'emt'
  | 'eml'
  | 'aud'
  | 'req';

/** A new opaque id, ordered by time within one process: `trn_01k…` (26 characters of Crockford base 32 after the prefix). */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${ulid().toLowerCase()}`;
}
