import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTimeZone } from './time';
import { zoneFromCookie } from './zone-cookie';

/** Every name that Node takes and the IANA time zone database does not have. */
const notIana = [
  ...['ACT', 'AET', 'AGT', 'ART', 'AST', 'BET', 'BST', 'CAT', 'CNT', 'CST', 'CTT', 'EAT', 'ECT', 'IET', 'IST', 'JST'],
  ...['MIT', 'NET', 'NST', 'PLT', 'PNT', 'PRT', 'PST', 'SST', 'VST', 'US/Pacific-New', 'Canada/East-Saskatchewan'],
  ...['SystemV/AST4', 'SystemV/AST4ADT', 'SystemV/EST5', 'SystemV/EST5EDT', 'SystemV/CST6', 'SystemV/CST6CDT'],
  ...['SystemV/MST7', 'SystemV/MST7MDT', 'SystemV/PST8', 'SystemV/PST8PDT', 'SystemV/YST9', 'SystemV/YST9YDT'],
  ...['SystemV/HST10'],
];
/** Links of the database, which Node's list of zones leaves out. */
const links = [
  ...[
    'UTC',
    'GMT',
    'Zulu',
    'EST',
    'MST',
    'HST',
    'CET',
    'EET',
    'MET',
    'WET',
    'EST5EDT',
    'CST6CDT',
    'MST7MDT',
    'PST8PDT',
  ],
  ...[
    'US/Pacific',
    'Asia/Calcutta',
    'Asia/Kolkata',
    'Europe/Kyiv',
    'Europe/Kiev',
    'Etc/GMT+5',
    'Etc/GMT-14',
    'Etc/UTC',
  ],
  ...['PRC', 'ROC', 'ROK', 'NZ', 'GB', 'Navajo', 'W-SU', 'Canada/Saskatchewan', 'Asia/Saigon', 'America/Buenos_Aires'],
];

const inAnyCase = (names: string[]) => fc.mixedCase(fc.constantFrom(...names));

test('every name of the IANA time zone database is a time zone, in any case', () => {
  const names = [...Intl.supportedValuesOf('timeZone'), ...links];
  for (const name of names) expect(isTimeZone(name), name).toBe(true);
  fc.assert(
    fc.property(inAnyCase(names), (name) => {
      expect(isTimeZone(name)).toBe(true);
      expect(zoneFromCookie(encodeURIComponent(name))).not.toBeNull();
    }),
  );
});

test('a name that only ICU has is none, in any case', () => {
  for (const name of notIana) expect(isTimeZone(name), name).toBe(false);
  fc.assert(
    fc.property(inAnyCase(notIana), (name) => {
      expect(isTimeZone(name)).toBe(false);
      expect(zoneFromCookie(encodeURIComponent(name))).toBeNull();
    }),
  );
});
