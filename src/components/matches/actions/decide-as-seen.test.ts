import { expect, test } from 'vitest';
import { decideAsSeen } from './decide-as-seen';

const slot = (participantId: string) => ({
  ...{ participantId, name: participantId, seed: 1, score: null, result: null },
  source: { type: 'pairing' as const },
});
const reported = { by: 'a', games: [], winnerId: 'a', reportedAt: '2026-03-01T18:00:00.000Z', confirmBy: null };
const seen = {
  version: 1,
  status: 'in_progress' as const,
  slots: [slot('a'), slot('b')] as [ReturnType<typeof slot>, ReturnType<typeof slot>],
  report: null,
  counterReport: null,
};

/** A match that changes `times` times, each right before it is decided. */
function changing(times: number, now: Partial<Parameters<typeof decideAsSeen>[0]> = {}, reason = 'VERSION_MISMATCH') {
  let version = 1;
  const sent: number[] = [];
  return {
    sent,
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

test.each([
  ['what was reported', { report: reported }],
  ['whether the report is disputed', { status: 'disputed' as const }],
  ['who plays in it', { slots: [slot('a'), slot('c')] as typeof seen.slots }],
])('a match of which %s has changed is not decided', async (_, now) => {
  const match = changing(1, now);
  await expect(decideAsSeen(seen, match)).rejects.toMatchObject({ data: { reason: 'VERSION_MISMATCH' } });
  expect(match.sent).toEqual([1]);
});

test('another refusal is none to try again after, and neither is one time after the other without end', async () => {
  const refused = changing(1, {}, 'MATCH_ALREADY_DECIDED');
  await expect(decideAsSeen(seen, refused)).rejects.toMatchObject({ data: { reason: 'MATCH_ALREADY_DECIDED' } });
  expect(refused.sent).toEqual([1]);
  const restless = changing(100);
  await expect(decideAsSeen(seen, restless)).rejects.toThrow('Refused');
  expect(restless.sent).toEqual([1, 2, 3, 4, 5]);
});
