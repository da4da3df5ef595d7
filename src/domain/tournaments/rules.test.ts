import { describe, expect, test } from 'vitest';
import { patternIssues } from '@/domain/questions/patterns';
import type { TournamentStatus } from '@/generated/prisma/enums';
import { lockedFields, retypedFields, type Settings, settingsIssues } from './rules';

describe('settings', () => {
  const good: Settings = {
    format: 'single_elimination',
    teamSize: 1,
    rosterMin: 1,
    rosterMax: 1,
    startDate: new Date(100),
    registrationOpensAt: new Date(10),
    registrationClosesAt: new Date(90),
    checkInOpensAt: new Date(90),
    checkInClosesAt: new Date(100),
    rosterLockAt: null,
    customFields: [],
    formatOptions: { bestOf: 3, thirdPlace: true },
  };
  const paths = (change: Partial<Settings>) => {
    const settings = { ...good, ...change };
    return [...settingsIssues(settings), ...patternIssues(settings.customFields)].map((issue) => issue.path);
  };
  const field = { key: 'rank', label: 'Rank', type: 'text', required: false, visibility: 'organizers' } as const;

  test('accepts consistent settings', () => {
    expect(settingsIssues(good)).toEqual([]);
    expect(paths({ registrationOpensAt: null, registrationClosesAt: null, checkInOpensAt: null })).toEqual([]);
    expect(paths({ teamSize: 5, rosterMin: 5, rosterMax: 7 })).toEqual([]);
    expect(paths({ customFields: [{ ...field, pattern: '[A-Z]{2}[0-9]+' }] })).toEqual([]);
  });

  test.each<[string, Partial<Settings>, string[]]>([
    ['closing after the start', { registrationClosesAt: new Date(101) }, ['registrationClosesAt']],
    ['opening after the close', { registrationOpensAt: new Date(95) }, ['registrationOpensAt']],
    ['opening after the start', { checkInOpensAt: new Date(101), checkInClosesAt: null }, ['checkInOpensAt']],
    ['rosters locked after the start', { rosterLockAt: new Date(101) }, ['rosterLockAt']],
    ['individuals with rosters', { rosterMax: 2 }, ['rosterMax']],
    ['a roster smaller than the team', { teamSize: 5, rosterMin: 2, rosterMax: 4 }, ['rosterMax']],
    ['a minimum above the maximum', { teamSize: 2, rosterMin: 4, rosterMax: 3 }, ['rosterMin']],
    ['a duplicate key', { customFields: [field, field] }, ['customFields.1.key']],
    [
      'a key that React cannot send to a page',
      { customFields: ['constructor', 'prototype'].map((key) => ({ ...field, key })) },
      ['customFields.0.key', 'customFields.1.key'],
    ],
    ['a select without choices', { customFields: [{ ...field, type: 'select' }] }, ['customFields.0.options']],
    ['choices without a select', { customFields: [{ ...field, options: ['a'] }] }, ['customFields.0.options']],
    [
      'a pattern for a number',
      { customFields: [{ ...field, type: 'number', pattern: 'a' }] },
      ['customFields.0.pattern'],
    ],
    ['a pattern that does not parse', { customFields: [{ ...field, pattern: '(' }] }, ['customFields.0.pattern']],
    [
      'a look-behind, which RE2 does not support',
      { customFields: [{ ...field, pattern: '(?<=a)b' }] },
      ['customFields.0.pattern'],
    ],
    [
      'a pattern that is too complex',
      { customFields: [{ ...field, pattern: '.{0,1000}'.repeat(22) }] },
      ['customFields.0.pattern'],
    ],
    [
      'patterns that are too complex together',
      {
        customFields: ['a', 'b'].map((key) => ({ ...field, key, pattern: '.{0,90}' })),
      },
      ['customFields.1.pattern'],
    ],
    [
      'a pattern that is slow with long answers',
      { customFields: [{ ...field, pattern: '[ab]*a[ab]{450}' }] },
      ['customFields.0.pattern'],
    ],
    ...['[b-\u{1e942}]', '[b-\\x{1e942}]', '[\\--\\x{1e942}]', '[\\x62ffff-\u{1e942}]', '[\\p{L}\\PL]'.repeat(13)].map(
      (pattern): [string, object, string[]] => [
        `patterns with ranges that take long to read: ${pattern.slice(0, 20)}`,
        { customFields: ['a', 'b'].map((key) => ({ ...field, key, pattern: `(?i)${pattern}` })) },
        ['customFields.0.pattern', 'customFields.1.pattern'],
      ],
    ),
    ['an option of another format', { format: 'swiss', formatOptions: { legs: 2 } }, ['formatOptions.legs']],
  ])('refuses %s', (_name, change, expected) => {
    expect(paths(change)).toEqual(expected);
  });

  test('locks the slug on publication, the game on registration, and everything except texts at the start', () => {
    const fields = ['slug', 'game', 'maxParticipants', 'description'] as const;
    const locked = (status: TournamentStatus, hasRegistrations: boolean) =>
      lockedFields(fields, { status, hasRegistrations }).map((issue) => issue.path);
    expect(locked('DRAFT', false)).toEqual([]);
    expect(locked('PUBLISHED', false)).toEqual(['slug']);
    expect(locked('PUBLISHED', true)).toEqual(['slug', 'game']);
    expect(locked('IN_PROGRESS', true)).toEqual(['slug', 'game', 'maxParticipants']);
    expect(locked('CANCELLED', false)).toEqual(['slug', 'game', 'maxParticipants']);
  });

  test('keeps the type of a question that was answered', () => {
    expect(retypedFields([field], [{ ...field, label: 'Your rank' }])).toEqual([]);
    expect(retypedFields([field], [{ ...field, type: 'number' }]).map((issue) => issue.path)).toEqual([
      'customFields.0.type',
    ]);
  });
});
