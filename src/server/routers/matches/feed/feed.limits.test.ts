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
  const events = Array.from({ length: 240 }, () => ({ type: 'objective', payload: { text: 'x'.repeat(3_900) } }));
  const post = (matchId: string | undefined, bearer: string) =>
    api.post(`/matches/${matchId}/events`, { bearer, body: { events } });
  const statuses: number[] = [];
  for (const { id } of [...ready, ...ready]) statuses.push((await post(id, cup.moderator.bearer)).status);
  expect(statuses.slice(0, 3)).toEqual([201, 201, 201]);
  expect(new Set(statuses.slice(4)), 'some 930 KiB each').toEqual(new Set([429]));
  const stored = await db.matchEvent.count({ where: { match: { tournamentId: cup.tournamentId } } });
  expect(stored * 3.9).toBeLessThan(4_100);
  const [match] = await readMatches(api, other.tournamentId);
  expect((await post(match?.id, other.moderator.bearer)).status).toBe(201);
});
