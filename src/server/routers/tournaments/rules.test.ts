import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Schedule } from '@/domain/tournaments/schedule';
import { anySchedule, toSchedule, tournamentStatuses } from '@/test/schedules';
import { registrationChange, statusAfter, transitions } from './rules';

describe('the lifecycle', () => {
  test('leads from draft to completed, and to cancelled from any status before that', () => {
    const next = tournamentStatuses.map((status) =>
      Object.keys(transitions).flatMap((trigger) => statusAfter(trigger as keyof typeof transitions, status) ?? []),
    );
    expect(next).toEqual([
      ['PUBLISHED', 'CANCELLED'],
      ['IN_PROGRESS', 'CANCELLED'],
      ['COMPLETED', 'CANCELLED'],
      [],
      [],
    ]);
  });
});

describe('registration changes', () => {
  test('alternate, starting with opened, and are not repeated', () => {
    fc.assert(
      fc.property(anySchedule, fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 20 }), (raw, moments) => {
        const schedule = toSchedule(raw);
        let announced: 'none' | 'opened' | 'closed' = 'none';
        const emitted: string[] = [];
        for (const now of [...moments].sort((a, b) => a - b)) {
          const due = registrationChange(schedule, announced, now);
          if (!due) continue;
          emitted.push(due);
          announced = due;
          expect(registrationChange(schedule, announced, now)).toBeNull();
        }
        expect(['', 'opened', 'opened,closed']).toContain(emitted.join());
      }),
    );
  });

  test('include a second opened when registration opens again', () => {
    const open: Schedule = toSchedule({
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
