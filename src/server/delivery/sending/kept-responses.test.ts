import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { drainQueue } from '@/server/delivery/drain-queue';
import type { RequestResult } from '@/server/delivery/outbound/post';
import { makeQueue } from '@/test/queue';
import { alwaysKept, keptPerHour, keptResponse } from './kept-responses';

const result = (characters: number, headers: RequestResult['headers'] = {}) =>
  ({ headers, body: 'x'.repeat(characters), truncated: false }) as RequestResult;

/** Stores long responses until nothing more of the hour is left. @returns how many characters that were */
function useUp(projectId: string, now: number): number {
  for (let kept = 0; ; kept += 16_000) {
    if (keptResponse(projectId, result(16_000), false, now).truncated) return kept;
  }
}

test('of long responses a project gets so much in an hour, and then their beginnings', () => {
  const [projectId, other] = [newId('prj'), newId('prj')];
  const kept = useUp(projectId, 0);
  expect(kept).toBeLessThanOrEqual(keptPerHour);
  expect(kept).toBeGreaterThan(keptPerHour - 32_000);
  const long = { 'x-long': 'y'.repeat(9_000), 'retry-after': '30' };
  const cut = keptResponse(projectId, result(16_000, long), false, 3_000_000);
  expect(cut).toMatchObject({ body: 'x'.repeat(alwaysKept), truncated: true, headers: { 'retry-after': '30' } });
  const short = result(900, { date: 'today' });
  expect(keptResponse(projectId, short, false, 3_000_000)).toBe(short);
  expect(keptResponse(other, result(16_000), false, 3_000_000).truncated).toBe(false);
  expect(keptResponse(projectId, result(16_000), false, 3_600_000).truncated).toBe(false);
});

test('those in which a credential is searched for count more, and are kept once a second', () => {
  const projectId = newId('prj');
  const isKept = (now: number) => !keptResponse(projectId, result(16_000), true, now).truncated;
  let kept = 0;
  for (let second = 0; isKept(second * 1_000); second += 1) {
    expect(isKept(second * 1_000 + 999)).toBe(false);
    kept += 16_000;
  }
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(keptPerHour / 10);
});

test('escapes in which a credential is searched for are undone for a project some times a second, and else dropped', () => {
  const projectId = newId('prj');
  const escapedResult = {
    headers: { date: 'today', 'x-%41': 'a', 'x-b': 'a\\u0041' },
    body: `{"message":"${'\\u0041'.repeat(100)}"}`,
    truncated: false,
  } as unknown as RequestResult;
  const isWhole = (now: number) => keptResponse(projectId, escapedResult, true, now) === escapedResult;
  let whole = 0;
  while (isWhole(whole)) whole += 1;
  expect(whole).toBeGreaterThan(20);
  expect(whole).toBeLessThan(30);
  expect(keptResponse(projectId, escapedResult, true, 900)).toEqual({
    headers: { date: 'today' },
    body: '{"message":"',
    truncated: true,
  });
  const plain = result(900, { date: 'today' });
  expect(keptResponse(projectId, plain, true, 900)).toBe(plain);
  expect(keptResponse(projectId, escapedResult, false, 900)).toBe(escapedResult);
  expect(isWhole(1_000)).toBe(true);
});

test('a receiver that answers much fills nothing but its hour', async () => {
  const { project, subscription } = await makeQueue({}, 1, (_request, response) => response.end('z'.repeat(16_000)));
  useUp(project.id, performance.now());
  await drainQueue(subscription.id);
  const delivery = { subscriptionId: subscription.id };
  const attempt = await db.webhookAttempt.findFirstOrThrow({ where: { delivery } });
  expect([attempt.outcome, attempt.responseBody?.length, attempt.responseTruncated]).toEqual([
    'succeeded',
    alwaysKept,
    true,
  ]);
});
