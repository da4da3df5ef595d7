import { expect, test } from 'vitest';
import { decideAsSeen, ReportsChanged, type Seen } from './decide-as-seen';

const slot = (participantId: string) => ({
  ...{ participantId, name: participantId, seed: 1, score: null, result: null },
  source: { type: 'pairing' as const },
});
const reported = { by: 'a', games: [], winnerId: 'a', reportedAt: '2026-03-01T18:00:00.000Z', confirmBy: null };
const seen: Seen = {
  version: 1,
  status: 'in_progress',
  slots: [slot('a'), slot('b')],
  report: null,
  counterReport: null,
  startedAt: null,
};

/** A match that changes `times` times, each right before it is decided. */
function changing(times: number, now: Partial<Seen> = {}, reason = 'VERSION_MISMATCH') {
  let version = 1;
  const sent: number[] = [];
  return {
    sent,
    anyReports: false,
    isPossible: () => true,
    read: () => Promise.resolve({ ...seen, ...now, version }),
    decide: (expected: number) => {
      sent.push(expected);
      if (version <= times) version += 1;
      return expected === version
        ? Promise.resolve('decided')
        : Promise.reject(Object.assign(new Error('Refused'), { data: { reason } }));
    },
  };
}

test('a match is decided although times were proposed and withdrawn meanwhile', async () => {
  const match = changing(3);
  await expect(decideAsSeen(seen, match)).resolves.toBe('decided');
  expect(match.sent).toEqual([1, 2, 3, 4]);
});

const reportsChanged: [string, Partial<Seen>][] = [
  ['what was reported', { report: reported }],
  ['whether the report is disputed', { status: 'disputed' }],
];

test.each(reportsChanged)('a match of which %s has changed is not decided until staff know', async (_, now) => {
  const match = changing(1, now);
  const refused = decideAsSeen(seen, match);
  await expect(refused).rejects.toBeInstanceOf(ReportsChanged);
  await expect(refused).rejects.toMatchObject({ now, data: { reason: 'VERSION_MISMATCH' } });
  expect(match.sent).toEqual([1]);
  await expect(decideAsSeen(seen, { ...match, anyReports: true })).resolves.toBe('decided');
});

test.each([false, true])(
  'with any reports or not (%s), it is not decided about others or in a way that is over',
  async (anyReports) => {
    const others = { ...changing(1, { slots: [slot('a'), slot('c')] }), anyReports };
    const over = { ...changing(1), anyReports, isPossible: () => false };
    for (const match of [others, over]) {
      const refused = decideAsSeen(seen, match);
      await expect(refused).rejects.toMatchObject({ data: { reason: 'VERSION_MISMATCH' } });
      await expect(refused).rejects.not.toBeInstanceOf(ReportsChanged);
      expect(match.sent).toEqual([1]);
    }
  },
);

test('another refusal is none to try again after, and neither is one time after the other without end', async () => {
  const refused = changing(1, {}, 'MATCH_ALREADY_DECIDED');
  await expect(decideAsSeen(seen, refused)).rejects.toMatchObject({ data: { reason: 'MATCH_ALREADY_DECIDED' } });
  expect(refused.sent).toEqual([1]);
  const restless = changing(100);
  await expect(decideAsSeen(seen, restless)).rejects.toThrow('Refused');
  expect(restless.sent).toEqual([1, 2, 3, 4, 5]);
});
