import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patternIssues } from '@/domain/questions/patterns';
import { lockedFields, retypedFields, type Settings, settingsIssues } from '@/domain/tournaments/rules';
import {
  checkInWindow,
  isRegistrationOpen,
  nextWindowChange,
  phaseOf,
  registrationWindow,
  type Schedule,
} from '@/domain/tournaments/schedule';
import { registrationChange, statusAfter, transitions } from './rules';

const statuses = ['DRAFT', 'PUBLISHED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED'] as const;

const schedules = fc.record({
  status: fc.constantFrom(...statuses),
  startDate: fc.integer({ min: 0, max: 100 }),
  publishedAt: fc.option(fc.integer({ min: 0, max: 100 })),
  registrationOpensAt: fc.option(fc.integer({ min: 0, max: 100 })),
  registrationClosesAt: fc.option(fc.integer({ min: 0, max: 100 })),
  checkInOpensAt: fc.option(fc.integer({ min: 0, max: 100 })),
  checkInClosesAt: fc.option(fc.integer({ min: 0, max: 100 })),
});

function dated(raw: Record<string, string | number | null>): Schedule {
  const entries = Object.entries(raw).map(([key, value]) => [key, typeof value === 'number' ? new Date(value) : value]);
  return Object.fromEntries(entries) as Schedule;
}

describe('the life of a tournament', () => {
  test('runs from draft to completed, and to cancelled from anywhere but the end', () => {
    const moves = statuses.map((status) =>
      Object.keys(transitions).flatMap((trigger) => statusAfter(trigger as keyof typeof transitions, status) ?? []),
    );
    expect(moves).toEqual([
      ['PUBLISHED', 'CANCELLED'],
      ['IN_PROGRESS', 'CANCELLED'],
      ['COMPLETED', 'CANCELLED'],
      [],
      [],
    ]);
  });
});

describe('windows', () => {
  const hour = 3_600_000;
  const schedule: Schedule = {
    status: 'PUBLISHED',
    startDate: new Date(10 * hour),
    publishedAt: new Date(1 * hour),
    registrationOpensAt: null,
    registrationClosesAt: null,
    checkInOpensAt: null,
    checkInClosesAt: null,
  };

  test('without times, registration lasts from publication to the start and check-in is not set', () => {
    expect(registrationWindow(schedule)).toEqual({ opensAt: hour, closesAt: 10 * hour });
    expect(phaseOf(checkInWindow(schedule), 5 * hour)).toBe('unset');
    expect(phaseOf(checkInWindow(schedule), 10 * hour)).toBe('after');
  });

  test('opens at its moment and is closed at its end', () => {
    const set = { ...schedule, registrationOpensAt: new Date(2 * hour), registrationClosesAt: new Date(4 * hour) };
    const phases = [2 * hour - 1, 2 * hour, 4 * hour - 1, 4 * hour].map((now) => phaseOf(registrationWindow(set), now));
    expect(phases).toEqual(['before', 'open', 'open', 'after']);
  });

  test('reads ISO strings as it reads dates', () => {
    const strings = JSON.parse(JSON.stringify(schedule)) as Schedule<string>;
    expect(registrationWindow(strings)).toEqual(registrationWindow(schedule));
  });

  test('is never open in a draft or a tournament that is over', () => {
    fc.assert(
      fc.property(schedules, fc.integer({ min: 0, max: 100 }), (raw, now) => {
        const open = isRegistrationOpen(dated(raw), now);
        expect(open && raw.status !== 'PUBLISHED').toBe(false);
        expect(open && now >= raw.startDate).toBe(false);
      }),
    );
  });

  test('changes only at its turns', () => {
    fc.assert(
      fc.property(schedules, fc.integer({ min: -1, max: 100 }), (raw, now) => {
        const window = registrationWindow(dated(raw));
        const turn = nextWindowChange(window, now) ?? 200;
        const isOpen = (at: number) => phaseOf(window, at) === 'open';
        for (let at = now; at < turn && at < 110; at += 1) expect(isOpen(at)).toBe(isOpen(now));
        if (turn < 200) expect(isOpen(turn)).not.toBe(isOpen(turn - 1));
      }),
    );
  });
});

describe('announcements', () => {
  test('alternate, beginning with opened, and nothing is due after one was made', () => {
    fc.assert(
      fc.property(schedules, fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 20 }), (raw, moments) => {
        const schedule = dated(raw);
        let announced: 'none' | 'opened' | 'closed' = 'none';
        const said: string[] = [];
        for (const now of [...moments].sort((a, b) => a - b)) {
          const due = registrationChange(schedule, announced, now);
          if (!due) continue;
          said.push(due);
          announced = due;
          expect(registrationChange(schedule, announced, now)).toBeNull();
        }
        expect(['', 'opened', 'opened,closed']).toContain(said.join());
      }),
    );
  });

  test('say opened again when a closed registration is opened anew', () => {
    const open: Schedule = dated({
      status: 'PUBLISHED',
      startDate: 100,
      publishedAt: 1,
      registrationOpensAt: null,
      registrationClosesAt: null,
      checkInOpensAt: null,
      checkInClosesAt: null,
    });
    expect(registrationChange(open, 'closed', 50)).toBe('opened');
    expect(registrationChange({ ...open, registrationOpensAt: new Date(60) }, 'opened', 50)).toBe('closed');
  });
});

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

  test('that fit together pass', () => {
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
    ['a least above the most', { teamSize: 2, rosterMin: 4, rosterMax: 3 }, ['rosterMin']],
    ['a key twice', { customFields: [field, field] }, ['customFields.1.key']],
    [
      'a key that no page could be sent',
      { customFields: ['constructor', 'prototype'].map((key) => ({ ...field, key })) },
      ['customFields.0.key', 'customFields.1.key'],
    ],
    ['a select without choices', { customFields: [{ ...field, type: 'select' }] }, ['customFields.0.options']],
    ['choices without a select', { customFields: [{ ...field, options: ['a'] }] }, ['customFields.0.options']],
    [
      'a pattern of a number',
      { customFields: [{ ...field, type: 'number', pattern: 'a' }] },
      ['customFields.0.pattern'],
    ],
    ['a pattern that does not parse', { customFields: [{ ...field, pattern: '(' }] }, ['customFields.0.pattern']],
    [
      'a look-behind, which RE2 lacks',
      { customFields: [{ ...field, pattern: '(?<=a)b' }] },
      ['customFields.0.pattern'],
    ],
    [
      'a pattern that takes a second of work for each answer',
      { customFields: [{ ...field, pattern: '.{0,1000}'.repeat(22) }] },
      ['customFields.0.pattern'],
    ],
    [
      'patterns that take too much work together',
      {
        customFields: ['a', 'b', 'c', 'd'].map((key) => ({ ...field, key, pattern: '.{0,400}' })),
      },
      ['customFields.3.pattern'],
    ],
    ['an option of another format', { format: 'swiss', formatOptions: { legs: 2 } }, ['formatOptions.legs']],
  ])('refuse %s', (_name, change, expected) => {
    expect(paths(change)).toEqual(expected);
  });

  test('are locked in steps: address, then what entrants relied on, then all but texts', () => {
    const fields = ['slug', 'game', 'maxParticipants', 'description'] as const;
    const locked = (status: (typeof statuses)[number], hasRegistrations: boolean) =>
      lockedFields(fields, { status, hasRegistrations }).map((issue) => issue.path);
    expect(locked('DRAFT', false)).toEqual([]);
    expect(locked('PUBLISHED', false)).toEqual(['slug']);
    expect(locked('PUBLISHED', true)).toEqual(['slug', 'game']);
    expect(locked('IN_PROGRESS', true)).toEqual(['slug', 'game', 'maxParticipants']);
    expect(locked('CANCELLED', false)).toEqual(['slug', 'game', 'maxParticipants']);
  });

  test('keep the type of a question that was answered', () => {
    expect(retypedFields([field], [{ ...field, label: 'Your rank' }])).toEqual([]);
    expect(retypedFields([field], [{ ...field, type: 'number' }]).map((issue) => issue.path)).toEqual([
      'customFields.0.type',
    ]);
  });
});
