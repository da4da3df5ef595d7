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

async function invalidFields(values: FormValues, before: FormValues | null = null) {
  const { errors } = await settingsResolver(before)(values, undefined, {
    fields: {},
    shouldUseNativeValidation: false,
  });
  return Object.keys(errors);
}

describe('the tournament form', () => {
  it('requires only a name, a game and a start', async () => {
    expect((await invalidFields(defaultValues('UTC'))).sort()).toEqual(['game', 'name', 'startDate']);
    expect(await invalidFields(good())).toEqual([]);
  });

  it('applies the rules of the server even while other fields are missing', async () => {
    expect(await invalidFields(good({ registrationClosesAt: later }))).toEqual(['registrationClosesAt']);
    expect((await invalidFields(good({ name: '', checkInOpensAt: later }))).sort()).toEqual(['checkInOpensAt', 'name']);
    expect(await invalidFields(good({ maxParticipants: Number.NaN }))).toEqual(['maxParticipants']);
    expect(await invalidFields(good({ prizePool: { amount: Number.NaN, currency: 'EUR' } }))).toEqual(['prizePool']);
    expect(await invalidFields(good({ slug: 'Not a slug' }))).toEqual(['slug']);
    const select = { ...question, options: [], label: 'Region', type: 'select' as const };
    expect(await invalidFields(good({ customFields: [select] }))).toEqual(['customFields']);
  });

  it('accepts a start in the past only if it is unchanged', async () => {
    const past = good({ startDate: new Date(Date.now() - 1_000).toISOString(), slug: 'winter-cup' });
    expect(await invalidFields(past)).toEqual(['startDate']);
    expect(await invalidFields(past, past)).toEqual([]);
  });

  it('derives unique keys from questions and keeps existing keys', () => {
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

  it('sends only the options of the selected format', () => {
    const values = good({ format: 'swiss', formatOptions: { bestOf: 3, legs: 2, rounds: undefined } });
    expect(toSettings(values).formatOptions).toEqual({ bestOf: 3 });
  });

  it('finds changed fields regardless of key order', () => {
    const before = toSettings(good({ entryFee: { amount: 500, currency: 'EUR' } }));
    const after = toSettings(good({ entryFee: { currency: 'EUR', amount: 500 }, name: 'Spring Cup' }));
    expect(changedFields(before, after)).toEqual(['name']);
  });

  it('copies a tournament whole weeks later, at the same local times, without the slug', () => {
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
    // Daylight saving time has ended in between.
    expect(at('2026-11-06T18:00:00.000Z')).toMatchObject({
      startDate: '2026-11-13T18:00:00.000Z',
      checkInOpensAt: '2026-11-13T17:30:00.000Z',
    });
    expect(at('2026-11-06T17:59:00.000Z').startDate).toBe('2026-11-06T18:00:00.000Z');
  });
});
