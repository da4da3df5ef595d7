import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import { type Cup, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { makeApiKey } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import type { FeedEvent } from './schema';

const api = setupTestServer();

type Posted = { items: FeedEvent[]; created: number };
type Page = { items: FeedEvent[]; total: number; page: number; totalPages: number; hasNext: boolean };

let cup: Cup;

beforeAll(async () => {
  cup = await startCup(api, 8);
});

let used = 0;
/** A ready match of the cup that no other test uses. */
async function nextMatch() {
  const ready = (await readMatches(api, cup.tournamentId)).filter(({ status }) => status === 'ready');
  const match = ready[used % ready.length];
  used += 1;
  const [a, b] = match?.slots ?? [];
  if (!match || !a?.participantId || !b?.participantId) throw new Error('no match is ready');
  const players = await db.participant.findMany({ where: { id: { in: [a.participantId, b.participantId] } } });
  const userOf = (id: string) => players.find((player) => player.id === id)?.userId ?? '';
  return {
    id: match.id,
    path: `/matches/${match.id}/events`,
    participants: [a.participantId, b.participantId] as const,
    users: [userOf(a.participantId), userOf(b.participantId)] as const,
  };
}

const post = (path: string, body: unknown, bearer = cup.moderator.bearer) => api.post<Posted>(path, { bearer, body });

async function sequences(matchId: string): Promise<number[]> {
  const rows = await db.matchEvent.findMany({ where: { matchId }, orderBy: { sequence: 'asc' } });
  return rows.map(({ sequence }) => sequence);
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe('posting', () => {
  test('one event and a batch continue the same sequence, and everyone reads them', async () => {
    const match = await nextMatch();
    const one = await post(match.path, { type: 'match_started', timestamp: '2027-01-01T13:00:00+01:00' });
    expect(one.status, one.text).toBe(201);
    expect(one.body).toEqual({
      created: 1,
      items: [
        {
          id: expect.stringMatching(/^mev_/),
          matchId: match.id,
          sequence: 1,
          type: 'match_started',
          timestamp: '2027-01-01T12:00:00.000Z',
          game: null,
          participantId: null,
          userId: null,
          payload: {},
        },
      ],
    });
    const events = [
      { type: 'kill', userId: match.users[0], game: 1, payload: { weapon: 'ak47', headshot: true } },
      { type: 'death', participantId: match.participants[1], game: 1 },
    ];
    const batch = await post(match.path, { events });
    expect(batch.body.items).toMatchObject([
      { sequence: 2, participantId: match.participants[0], payload: { weapon: 'ak47', headshot: true } },
      { sequence: 3, userId: match.users[1], game: 1 },
    ]);

    const all = await api.get<Page>(match.path);
    expect(all.status).toBe(200);
    expect(all.body).toMatchObject({ total: 3, page: 1, totalPages: 1, hasNext: false });
    expect(all.body.items).toEqual([...one.body.items, ...batch.body.items]);
    const second = await api.get<Page>(`${match.path}?limit=2&page=2`);
    expect(second.body.items.map(({ sequence }) => sequence)).toEqual([3]);
    const kills = await api.get<Page>(`${match.path}?type=kill`);
    expect([kills.body.total, kills.body.items[0]?.sequence]).toEqual([1, 2]);
    const old = await api.get<Page>(`${match.path}?from=2027-01-01T12:00:00Z&to=2027-01-01T12:00:00Z`);
    expect(old.body.items.map(({ sequence }) => sequence)).toEqual([1]);
    expect((await api.get(`${match.path}?limit=101`)).reason).toBe('VALIDATION_FAILED');

    const stats = await db.playerStats.findMany({ where: { userId: { in: [...match.users] } } });
    const of = (userId: string) => stats.find((row) => row.userId === userId);
    expect(of(match.users[0])).toMatchObject({ kills: 1, deaths: 0, matches: 0 });
    expect(of(match.users[1])).toMatchObject({ kills: 0, deaths: 1, matches: 0 });
  });

  test('a known clientId changes nothing, within a batch and later', async () => {
    const match = await nextMatch();
    const event = { type: 'kill', userId: match.users[0], clientId: 'round-1-kill-1' };
    const before = await db.matchEvent.count({ where: { matchId: match.id } });
    const first = await post(match.path, { events: [event, event, { type: 'round_ended', clientId: 'round-1' }] });
    expect(first.body.created).toBe(2);
    expect(first.body.items[0]).toEqual(first.body.items[1]);
    const again = await post(match.path, { ...event, type: 'assist' });
    expect(again.body).toEqual({ created: 0, items: [first.body.items[0]] });
    expect(await sequences(match.id)).toEqual(upTo(before + 2));
  });

  test('a batch with one bad event stores none', async () => {
    const match = await nextMatch();
    const before = await db.matchEvent.count({ where: { matchId: match.id } });
    const cases: [body: unknown, path: string][] = [
      [{}, 'type'],
      [{ type: 'kill', events: [{ type: 'kill' }] }, 'type'],
      [{ type: 'dance' }, 'type'],
      [{ events: [] }, 'events'],
      [{ events: Array.from({ length: 501 }, () => ({ type: 'kill' })) }, 'events'],
      [{ type: 'kill', payload: { text: 'x'.repeat(5_000) } }, 'payload'],
      [{ type: 'kill', timestamp: 'now' }, 'timestamp'],
      [{ type: 'kill', participantId: 'prt_nobody' }, 'participantId'],
      [{ type: 'kill', participantId: match.participants[0], userId: match.users[1] }, 'userId'],
      [{ events: [{ type: 'kill' }, { type: 'kill', userId: cup.stranger.id }] }, 'events.1.userId'],
    ];
    for (const [body, path] of cases) {
      const { status, reason, body: answer } = await post(match.path, body);
      expect([path, status, reason]).toEqual([path, 400, 'VALIDATION_FAILED']);
      expect(answer).toMatchObject({ error: { issues: [{ path }] } });
    }
    expect(await db.matchEvent.count({ where: { matchId: match.id } })).toBe(before);
  });

  test('is for moderators, and not for API keys, players or strangers', async () => {
    const match = await nextMatch();
    const { key } = await makeApiKey(cup.project.id);
    const body = { type: 'paused' };
    expect((await api.post(match.path, { apiKey: key, body })).status).toBe(401);
    expect((await api.post(match.path, { body })).status).toBe(401);
    const player = await post(match.path, body, await cup.bearerOf(match.participants[0]));
    expect([player.status, player.reason]).toEqual([403, 'FORBIDDEN']);
    expect((await post(match.path, body, cup.stranger.bearer)).status).toBe(403);
    expect((await post(match.path, body, cup.organizer.bearer)).status).toBe(201);
    expect((await post('/matches/mat_nothing/events', body)).reason).toBe('NOT_FOUND');
    expect((await api.get('/matches/mat_nothing/events')).reason).toBe('NOT_FOUND');
  });

  test('waits until both participants are known', async () => {
    const pending = (await readMatches(api, cup.tournamentId)).find(({ status }) => status === 'pending');
    const refused = await post(`/matches/${pending?.id}/events`, { type: 'match_started' });
    expect([refused.status, refused.reason]).toEqual([409, 'MATCH_NOT_READY']);
  });

  test('a private tournament shows its feed to its staff only', async () => {
    const hidden = await startCup(api, 2, { visibility: 'private' });
    const match = await db.match.findFirstOrThrow({ where: { tournamentId: hidden.tournamentId } });
    expect((await api.get(`/matches/${match.id}/events`)).reason).toBe('NOT_FOUND');
    expect((await api.get(`/matches/${match.id}/events`, { bearer: hidden.moderator.bearer })).status).toBe(200);
  });
});

test('16 writers at once leave no gap, store every event once and lose no kill', async () => {
  const own = await startCup(api, 2);
  const match = await db.match.findFirstOrThrow({ where: { tournamentId: own.tournamentId } });
  const { userId } = await db.participant.findUniqueOrThrow({ where: { id: own.participantIds[0] } });
  const write = async (writer: number) => {
    for (let round = 0; round < 4; round += 1) {
      const events = Array.from({ length: 5 }, (_, at) => ({
        type: 'kill',
        userId,
        // Two writers send the same keys.
        clientId: `${Math.floor(writer / 2)}-${round}-${at}`,
      }));
      const answer = await post(`/matches/${match.id}/events`, { events }, own.moderator.bearer);
      expect(answer.status, answer.text).toBe(201);
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)));
  expect(await sequences(match.id)).toEqual(upTo(160));
  expect((await db.match.findUniqueOrThrow({ where: { id: match.id } })).lastSequence).toBe(160);
  const stats = await db.playerStats.findFirstOrThrow({ where: { projectId: own.project.id, userId: userId ?? '' } });
  expect(stats.kills).toBe(160);
});

test('a match takes 600 events in a minute', async () => {
  const own = await startCup(api, 4);
  const [match, other] = await db.match.findMany({
    where: { tournamentId: own.tournamentId },
    orderBy: { number: 'asc' },
  });
  const send = (id: string | undefined, count: number) =>
    post(
      `/matches/${id}/events`,
      { events: Array.from({ length: count }, () => ({ type: 'score_updated' })) },
      own.moderator.bearer,
    );
  expect((await send(match?.id, 500)).status).toBe(201);
  const refused = await send(match?.id, 101);
  expect([refused.status, refused.reason]).toEqual([429, 'QUOTA_EXCEEDED']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await send(match?.id, 100)).status).toBe(201);
  expect((await send(match?.id, 1)).status).toBe(429);
  expect((await send(other?.id, 1)).status).toBe(201);
  await db.$executeRaw`
    UPDATE "match_event" SET "createdAt" = "createdAt" - interval '1 minute' WHERE "matchId" = ${match?.id}`;
  expect((await send(match?.id, 1)).status).toBe(201);
});
