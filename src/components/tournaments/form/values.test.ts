import { describe, expect, it } from 'vitest';
import {
  changedFields,
  copyFormValues,
  defaultValues,
  type FormValues,
  questionKey,
  settingsResolver,
  type Tournament,
  toSettings,
} from '@/components/tournaments/form/values';

const soon = new Date(Date.now() + 86_400_000).toISOString();
const later = new Date(Date.now() + 2 * 86_400_000).toISOString();
const good = (change: Partial<FormValues> = {}): FormValues => ({
  ...defaultValues('Europe/Berlin'),
  name: 'Winter Cup',
  game: 'cs2',
  startDate: soon,
  ...change,
});
const question = { key: '', type: 'text', required: false, options: [], visibility: 'organizers' } as const;

async function faults(values: FormValues, before: FormValues | null = null) {
  const { errors } = await settingsResolver(before)(values, undefined, {
    fields: {},
    shouldUseNativeValidation: false,
  });
  return Object.keys(errors);
}

describe('the form of a tournament', () => {
  it('asks for a name, a game and a start, and no more', async () => {
    expect((await faults(defaultValues('UTC'))).sort()).toEqual(['game', 'name', 'startDate']);
    expect(await faults(good())).toEqual([]);
  });

  it('checks by the rules of the server, also while something else is missing', async () => {
    expect(await faults(good({ registrationClosesAt: later }))).toEqual(['registrationClosesAt']);
    expect((await faults(good({ name: '', checkInOpensAt: later }))).sort()).toEqual(['checkInOpensAt', 'name']);
    expect(await faults(good({ maxParticipants: Number.NaN }))).toEqual(['maxParticipants']);
    expect(await faults(good({ prizePool: { amount: Number.NaN, currency: 'EUR' } }))).toEqual(['prizePool']);
    expect(await faults(good({ slug: 'Not a slug' }))).toEqual(['slug']);
    const select = { ...question, options: [], label: 'Region', type: 'select' as const };
    expect(await faults(good({ customFields: [select] }))).toEqual(['customFields']);
  });

  it('lets a start that stays lie in the past, and no other', async () => {
    const past = good({ startDate: new Date(Date.now() - 1_000).toISOString(), slug: 'winter-cup' });
    expect(await faults(past)).toEqual(['startDate']);
    expect(await faults(past, past)).toEqual([]);
  });

  it('names questions after themselves, each once, and keeps the names that are there', () => {
    const fields = [
      { ...question, options: [], label: 'Discord name' },
      { ...question, options: [], label: 'Discord name' },
      { ...question, options: [], label: 'Anything', key: 'discord_name' },
    ];
    expect(toSettings(good({ customFields: fields })).customFields.map(({ key }) => key)).toEqual([
      'discord_name_2',
      'discord_name_3',
      'discord_name',
    ]);
    expect(questionKey('2nd choice', new Set())).toBe('q_2nd_choice');
    expect(questionKey('日本', new Set())).toMatch(/^[a-z][a-z0-9_]*$/);
  });

  it('sends the options that the format knows', () => {
    const values = good({ format: 'swiss', formatOptions: { bestOf: 3, legs: 2, rounds: undefined } });
    expect(toSettings(values).formatOptions).toEqual({ bestOf: 3 });
  });

  it('finds what differs, whatever the order of keys', () => {
    const before = toSettings(good({ entryFee: { amount: 500, currency: 'EUR' } }));
    const after = toSettings(good({ entryFee: { currency: 'EUR', amount: 500 }, name: 'Spring Cup' }));
    expect(changedFields(before, after)).toEqual(['name']);
  });

  it('begins another tournament whole weeks later, at the same times of day, without the address', () => {
    const values = good({
      timezone: 'Europe/Berlin',
      slug: 'friday-cup',
      startDate: '2026-10-09T17:00:00.000Z',
      checkInOpensAt: '2026-10-09T16:30:00.000Z',
    });
    const at = (serverTime: string) => copyFormValues({ ...values, serverTime } as unknown as Tournament);
    expect(at('2026-10-01T00:00:00.000Z')).toMatchObject({
      slug: '',
      name: values.name,
      startDate: '2026-10-16T17:00:00.000Z',
      registrationOpensAt: null,
    });
    // The clocks have gone back meanwhile.
    expect(at('2026-11-06T18:00:00.000Z')).toMatchObject({
      startDate: '2026-11-13T18:00:00.000Z',
      checkInOpensAt: '2026-11-13T17:30:00.000Z',
    });
    expect(at('2026-11-06T17:59:00.000Z').startDate).toBe('2026-11-06T18:00:00.000Z');
  });
});
