import { expect, test } from 'vitest';
import { accessTokenForm, nameField } from '@/domain/accounts/forms';
import { enrollForm } from '@/domain/anticheat/forms';
import { stationName } from '@/domain/matches/forms';
import { keyNameField } from '@/domain/projects/forms';
import { customFieldDefinition, tournamentSettings } from '@/domain/tournaments/settings';
import { hasHiddenCharacters } from './line';
import { nameKey } from './name-key';

/** Every line of text that one person writes and others read in a list, an email or an export. */
const lines = {
  'name of a person, project, team or guest': nameField,
  'name of a tournament': tournamentSettings.shape.name,
  'name of a station': stationName,
  'name of an API key': keyNameField,
  'name of an access token': accessTokenForm.shape.name,
  'name of a device': enrollForm.shape.deviceName,
  'a question': customFieldDefinition.shape.label,
};

const england = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}';
const scotland = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}';
const wales = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}';

test.each(Object.entries(lines))('%s has no character that deceives its readers', (_, field) => {
  for (const bad of [
    'abc\u202Egnp',
    'ab\u2067c',
    'ab\u061Cc',
    'ab\u206Ac',
    'ab\u206Fc',
    'abc\r\nBcc: x',
    'abc\u0007',
    'ad\u200Bmin',
    'ad\uFEFFmin',
    'ab\u2060c',
    'ad\u00ADmin',
    'ab\uFFF9c',
    'ab\u2028c',
    'ab\u2029c',
    'ab\u{E0041}',
    'ab\u{E0001}c',
    '\u{1F3F4}\u{E0061}\u{E0064}\u{E006D}\u{E007F}',
    `${england}\u{E0067}`,
  ]) {
    expect(field.safeParse(bad).success, JSON.stringify(bad)).toBe(false);
  }
  const blanks = ['\u3164', '\u00AD', '\u2800', '\uFE0F', '\u{1D159}'].map((character) => character.repeat(3));
  for (const blank of blanks) {
    expect(field.safeParse(blank).success, JSON.stringify(blank)).toBe(false);
  }
  const flags = [england, scotland, wales].map((flag) => `${flag} ${flag} eleven`);
  for (const good of ['Ana María', 'محمد رضا', 'می‌خواهم', '\u{1F468}\u200D\u{1F469} crew', 'Zoë (2)', ...flags]) {
    expect(field.safeParse(good).success, good).toBe(true);
  }
});

test('a text of several lines may have every kind of line break, but no invisible tags', () => {
  expect(hasHiddenCharacters(`a\r\n\tb\u2028c\u2029${england}`)).toBe(false);
  expect(hasHiddenCharacters('a\nb\u{E0041}')).toBe(true);
});

test('few characters may stand for many others', () => {
  for (const field of Object.values(lines)) {
    expect(field.safeParse('محمد ﷺ').success).toBe(true);
    expect(field.safeParse('\uFDFA'.repeat(25)).success).toBe(false);
  }
});

test('two names that look the same are the same', () => {
  for (const other of [
    'ＡＤＭＩＮ',
    ' admin ',
    'ad\u200Bmin',
    'ad\u200Dmin',
    'a\u00ADdmin',
    'ad\u034Fmin',
    'adm\uFE0Fin',
  ]) {
    expect(nameKey(other), JSON.stringify(other)).toBe(nameKey('Admin'));
  }
  expect(nameKey(' An  ADMIN\u200B ')).toBe(nameKey('an Admin'));
});
