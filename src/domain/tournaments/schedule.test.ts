import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anySchedule, toSchedule } from '@/test/schedules';
import {
  checkInWindow,
  isRegistrationOpen,
  nextWindowChange,
  phaseOf,
  registrationWindow,
  type Schedule,
} from './schedule';

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

  test('default to registration from publication to the start, and no check-in', () => {
    expect(registrationWindow(schedule)).toEqual({ opensAt: hour, closesAt: 10 * hour });
    expect(phaseOf(checkInWindow(schedule), 5 * hour)).toBe('unset');
    expect(phaseOf(checkInWindow(schedule), 10 * hour)).toBe('after');
  });

  test('include their opening time and exclude their closing time', () => {
    const set = { ...schedule, registrationOpensAt: new Date(2 * hour), registrationClosesAt: new Date(4 * hour) };
    const phases = [2 * hour - 1, 2 * hour, 4 * hour - 1, 4 * hour].map((now) => phaseOf(registrationWindow(set), now));
    expect(phases).toEqual(['before', 'open', 'open', 'after']);
  });

  test('accept ISO strings and dates', () => {
    const strings = JSON.parse(JSON.stringify(schedule)) as Schedule<string>;
    expect(registrationWindow(strings)).toEqual(registrationWindow(schedule));
  });

  test('are closed in drafts and in tournaments that have started', () => {
    fc.assert(
      fc.property(anySchedule, fc.integer({ min: 0, max: 100 }), (raw, now) => {
        const open = isRegistrationOpen(toSchedule(raw), now);
        expect(open && raw.status !== 'PUBLISHED').toBe(false);
        expect(open && now >= raw.startDate).toBe(false);
      }),
    );
  });

  test('change only at the times that nextWindowChange returns', () => {
    fc.assert(
      fc.property(anySchedule, fc.integer({ min: -1, max: 100 }), (raw, now) => {
        const window = registrationWindow(toSchedule(raw));
        const turn = nextWindowChange(window, now) ?? 200;
        const isOpen = (at: number) => phaseOf(window, at) === 'open';
        for (let at = now; at < turn && at < 110; at += 1) expect(isOpen(at)).toBe(isOpen(now));
        if (turn < 200) expect(isOpen(turn)).not.toBe(isOpen(turn - 1));
      }),
    );
  });
});
