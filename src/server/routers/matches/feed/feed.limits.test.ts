import { afterEach, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { usedOfRates } from '@/server/limits/used-rates';
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

test('the matches of a project take as many events in a minute as allowed, and more once that has passed', async () => {
  env.MATCH_EVENTS_PER_PROJECT_PER_MINUTE = 1_200;
  const [cup, other] = [await startCup(api, 16), await startCup(api, 2)];
  const ready = (await readMatches(api, cup.tournamentId)).filter(({ status }) => status === 'ready');
  const [match] = await readMatches(api, other.tournamentId);
  const post = (matchId: string | undefined, bearer: string) => {
    const events = Array.from({ length: 400 }, () => ({ type: 'objective' }));
    return api.post(`/matches/${matchId}/events`, { bearer, body: { events } });
  };
  const answers = [];
  for (const { id } of ready.slice(0, 5)) answers.push(await post(id, cup.moderator.bearer));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 429, 429]);
  expect(answers[3]).toMatchObject({ reason: 'QUOTA_EXCEEDED' });
  expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(0);
  const where = { match: { tournamentId: cup.tournamentId } };
  expect(await db.matchEvent.count({ where })).toBe(1_200);
  expect((await post(match?.id, other.moderator.bearer)).status).toBe(201);
  await db.$executeRaw`
    UPDATE "rate_limit_window" SET "slots" = ARRAY(SELECT s - 61000 FROM unnest("slots") s)
    WHERE "subject" = ${`quota:matchEventsOfProject:${cup.project.id}`}`;
  expect((await post(ready[5]?.id, cup.moderator.bearer)).status).toBe(201);
});

test('single events are counted for their project in portions', async () => {
  env.MATCH_EVENTS_PER_PROJECT_PER_MINUTE = 600;
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const body = { type: 'objective' };
  const used: unknown[] = [];
  for (let count = 0; count < 11; count += 1) {
    const { status } = await api.post(`/matches/${match?.id}/events`, { bearer: cup.moderator.bearer, body });
    expect(status).toBe(201);
    used.push((await usedOfRates(db, 'project', cup.project.id)).matchEventsOfProject);
  }
  expect(used).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 10]);
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

/** A match with 250 events of nearly 4 KiB that have a `clientId`; its project has used as much of its quota as they are. */
async function largeFeed() {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const post = (events: unknown[]) =>
    api.post<{ items: unknown[]; created: number }>(`/matches/${match?.id}/events`, {
      bearer: cup.moderator.bearer,
      body: { events },
    });
  const events = Array.from({ length: 250 }, (_, at) => ({
    type: 'objective',
    clientId: `c${at}`,
    payload: { text: 'x'.repeat(3_900) },
  }));
  const first = await post(events);
  expect(first.body.created).toBe(250);
  const bare = events.map(({ type, clientId }) => ({ type, clientId }));
  return { post, events, bare, first: first.body.items, projectId: cup.project.id };
}

const tooLarge = { status: 400, reason: 'VALIDATION_FAILED', body: { error: { issues: [{ path: 'events' }] } } };

test('known events are returned as long as they are not much larger than what was posted', async () => {
  const { post, events, bare, first } = await largeFeed();
  expect(await post(bare)).toMatchObject(tooLarge);
  expect((await post(bare.slice(0, 120))).body).toEqual({ created: 0, items: first.slice(0, 120) });
  expect((await post(events)).body, 'the same request again').toEqual({ created: 0, items: first });
});

test('small numbers, which the database writes in full, can be posted again', async () => {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const events = Array.from({ length: 180 }, (_, at) => ({
    ...{ type: 'objective', clientId: `c${at}` },
    payload: { path: Array(400).fill(0.000_000_1) },
  }));
  const post = () =>
    api.post<{ created: number }>(`/matches/${match?.id}/events`, { bearer: cup.moderator.bearer, body: { events } });
  const first = await post();
  expect([first.status, first.body.created], first.text.slice(0, 200)).toEqual([201, 180]);
  const again = await post();
  expect([again.status, again.body.created]).toEqual([201, 0]);
});

test('an event that is in a request many times counts as often', async () => {
  const { post, events, bare } = await largeFeed();
  const [event] = events;
  const same = (repeated: unknown, count: number) => Array.from({ length: count }, () => repeated);
  expect(await post(same(bare[0], 500))).toMatchObject(tooLarge);
  expect((await post(same(bare[0], 120))).body.items).toHaveLength(120);
  const [fresh, again] = [
    { ...event, clientId: 'new' },
    { type: 'objective', clientId: 'new' },
  ];
  expect(await post([fresh, ...same(again, 499)])).toMatchObject(tooLarge);
  expect((await post([fresh, ...same(again, 100)])).body.created).toBe(1);
});

test('known events count in KiB as posted ones do', async () => {
  const { post, bare, projectId } = await largeFeed();
  const used = async () => (await usedOfRates(db, 'project', projectId)).matchEventKib ?? 0;
  const before = await used();
  for (let at = 0; at < 4; at += 1) expect((await post(bare.slice(0, 120))).status).toBe(201);
  expect((await used()) - before).toBeGreaterThan(4 * 120 * 3.8);
  env.MATCH_EVENT_KIB_PER_PROJECT_PER_DAY = await used();
  expect(await post(bare.slice(0, 120))).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' });
});

test('a payload has at most 100 fields, those of objects in it included', async () => {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const post = (payload: unknown) =>
    api.post(`/matches/${match?.id}/events`, { bearer: cup.moderator.bearer, body: { type: 'objective', payload } });
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]));
  const issue = { path: 'payload', message: expect.stringContaining('100 fields') };
  const refused = { status: 400, reason: 'VALIDATION_FAILED', body: { error: { issues: [issue] } } };
  expect((await post(fields(100))).status).toBe(201);
  expect(await post(fields(101))).toMatchObject(refused);
  expect((await post({ players: [fields(49), { at: fields(49) }] })).status).toBe(201);
  expect(await post({ players: [fields(49), { at: fields(50) }] })).toMatchObject(refused);
});
