import { afterEach, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

test('the matches of a project take as many bytes of events in a day as allowed, however many matches it has', async () => {
  env.MATCH_EVENT_KIB_PER_PROJECT_PER_DAY = 3_000;
  const [cup, other] = [await startCup(api, 8), await startCup(api, 2)];
  const ready = (await readMatches(api, cup.tournamentId)).filter(({ status }) => status === 'ready');
  const events = Array.from({ length: 215 }, () => ({ type: 'objective', payload: { text: 'x'.repeat(3_900) } }));
  const post = (matchId: string | undefined, bearer: string) =>
    api.post(`/matches/${matchId}/events`, { bearer, body: { events } });
  const statuses: number[] = [];
  for (const { id } of [...ready, ...ready]) statuses.push((await post(id, cup.moderator.bearer)).status);
  expect(statuses.slice(0, 3)).toEqual([201, 201, 201]);
  expect(new Set(statuses.slice(4)), 'some 910 KiB each').toEqual(new Set([429]));
  const stored = await db.matchEvent.count({ where: { match: { tournamentId: cup.tournamentId } } });
  expect(stored * 3.9).toBeLessThan(4_100);
  const [match] = await readMatches(api, other.tournamentId);
  expect((await post(match?.id, other.moderator.bearer)).status).toBe(201);
});

test('events without a payload count as much as they take', async () => {
  env.MATCH_EVENT_KIB_PER_PROJECT_PER_DAY = 2_000;
  const cup = await startCup(api, 32);
  const ready = (await readMatches(api, cup.tournamentId)).filter(({ status }) => status === 'ready');
  const events = Array.from({ length: 500 }, () => ({ type: 'objective' }));
  const statuses: number[] = [];
  for (const { id } of ready) {
    statuses.push((await api.post(`/matches/${id}/events`, { bearer: cup.moderator.bearer, body: { events } })).status);
  }
  expect(statuses[0]).toBe(201);
  expect(statuses.at(-1)).toBe(429);
});

test('a feed is no longer when it is read than when it was posted', async () => {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const post = (numbers: number[]) =>
    api.post(`/matches/${match?.id}/events`, {
      bearer: cup.moderator.bearer,
      body: { type: 'objective', payload: { numbers } },
    });
  expect(await post(Array(580).fill(1e308))).toMatchObject({ status: 400, reason: 'VALIDATION_FAILED' });
  expect((await post(Array(400).fill(0.000_001))).status).toBe(201);
  const [stored] = await db.$queryRaw<{ length: number }[]>`
    SELECT length("payload"::text) AS "length" FROM "match_event" WHERE "matchId" = ${match?.id}`;
  expect(stored?.length).toBeLessThan(10_000);
});
