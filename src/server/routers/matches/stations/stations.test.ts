import { describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import { type Cup, makeCup, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { MatchOutput } from '@/server/routers/matches/schema';
import { follow } from '@/test/live';
import { setupTestServer } from '@/test/server';
import type { StationOutput } from './schema';

const api = setupTestServer();

type Queue = { onStream: MatchOutput | null; items: MatchOutput[] };

/** Calls of a moderator of the cup. */
function staffOf({ tournamentId, moderator: { bearer } }: Pick<Cup, 'tournamentId' | 'moderator'>) {
  const stations = `/tournaments/${tournamentId}/stations`;
  return {
    add: async (body: { name: string; streamUrl?: string; autoAssign?: boolean }) => {
      const made = await api.post<StationOutput>(stations, { bearer, body });
      expect(made.status, made.text).toBe(201);
      return made.body;
    },
    change: (id: string, body: object) => api.call<StationOutput>('PATCH', `${stations}/${id}`, { bearer, body }),
    remove: (id: string) => api.call<StationOutput>('DELETE', `${stations}/${id}`, { bearer }),
    list: async () => (await api.get<{ items: StationOutput[]; total: number }>(stations)).body,
    assign: (match: MatchOutput | undefined, stationId: string | null, more: object = {}) =>
      api.post<MatchOutput>(`/matches/${match?.id}/station`, { bearer, body: { stationId, ...more } }),
    act: (match: MatchOutput | undefined, what: string, body: object = {}) =>
      api.post<MatchOutput>(`/matches/${match?.id}/${what}`, { bearer, body }),
    queue: async () => (await api.get<Queue>(`/tournaments/${tournamentId}/stream-queue`)).body,
    setQueue: (matchIds: (string | undefined)[]) =>
      api.call<Queue>('PUT', `/tournaments/${tournamentId}/stream-queue`, { bearer, body: { matchIds } }),
  };
}

const placeOf = ({ items }: { items: StationOutput[] }) =>
  Object.fromEntries(items.map(({ name, currentMatch }) => [name, currentMatch?.number ?? null]));
const numbers = (matches: readonly { number: number }[]) => matches.map(({ number }) => number);

describe('stations', () => {
  test('are added, listed to everyone, changed and removed', async () => {
    const cup = await makeCup(2);
    const staff = staffOf(cup);
    const first = await staff.add({ name: '  Station 1 ' });
    expect(first).toMatchObject({
      name: 'Station 1',
      streamUrl: null,
      autoAssign: false,
      currentMatch: null,
      queue: [],
    });
    expect(first.id).toMatch(/^sta_/);
    await staff.add({ name: 'Main stage', streamUrl: 'https://stream.example.com/stage' });
    expect((await staff.list()).items.map(({ name }) => name)).toEqual(['Station 1', 'Main stage']);
    const changed = await staff.change(first.id, { name: 'Station A', streamUrl: 'https://stream.example.com/a' });
    expect(changed.body).toMatchObject({ name: 'Station A', streamUrl: 'https://stream.example.com/a' });
    expect((await staff.change(first.id, { streamUrl: null })).body).toMatchObject({
      name: 'Station A',
      streamUrl: null,
    });
    const removed = await staff.remove(first.id);
    expect([removed.status, removed.body.name]).toEqual([200, 'Station A']);
    expect((await staff.remove(first.id)).status).toBe(404);
    expect((await staff.list()).total).toBe(1);
    const actions = await db.auditEntry.findMany({ where: { targetId: first.id }, orderBy: { createdAt: 'asc' } });
    expect(actions.map(({ action }) => action)).toEqual([
      'station.create',
      'station.update',
      'station.update',
      'station.delete',
    ]);
  });

  test('have a name that is free and a web address', async () => {
    const cup = await makeCup(2);
    const staff = staffOf(cup);
    const { id } = await staff.add({ name: 'Station 1' });
    const other = await staff.add({ name: 'Station 2' });
    const path = `/tournaments/${cup.tournamentId}/stations`;
    const { bearer } = cup.moderator;
    for (const [body, status] of [
      [{ name: 'Station 1' }, 409],
      [{ name: ' ' }, 400],
      [{}, 400],
      [{ name: 'Station 3', streamUrl: 'javascript:alert(1)' }, 400],
      [{ name: 'Station 3', streamUrl: 'https://twitch.tv@elsewhere.test/' }, 400],
    ] as const) {
      expect((await api.post(path, { bearer, body })).status).toBe(status);
    }
    const renamed = await staff.change(other.id, { name: 'Station 1' });
    expect([renamed.status, renamed.reason]).toEqual([409, 'STATION_NAME_TAKEN']);
    expect((await staff.change(id, { name: 'Station 1', autoAssign: true })).status).toBe(200);
  });

  test('of another tournament do not exist here', async () => {
    const [cup, other] = await Promise.all([startCup(api, 2), startCup(api, 2)]);
    const { id } = await staffOf(other).add({ name: 'Theirs' });
    const [match] = await readMatches(api, cup.tournamentId);
    const staff = staffOf(cup);
    expect((await staff.change(id, { name: 'Mine' })).status).toBe(404);
    expect((await staff.remove(id)).status).toBe(404);
    expect((await staff.assign(match, id)).status).toBe(404);
    const [theirs] = await readMatches(api, other.tournamentId);
    expect((await staff.assign(theirs, id)).status).toBe(403);
    expect((await staffOf(other).list()).total).toBe(1);
  });

  test('of a draft are hidden from strangers', async () => {
    const cup = await makeCup(2, { status: 'DRAFT', publishedAt: null });
    for (const route of ['stations', 'stream-queue']) {
      const path = `/tournaments/${cup.tournamentId}/${route}`;
      expect((await api.get(path)).status).toBe(404);
      expect((await api.get(path, { bearer: cup.moderator.bearer })).status).toBe(200);
    }
  });
});

describe('assigning', () => {
  test('by hand queues matches for a station, and a result frees it for the next', async () => {
    const cup = await startCup(api, 8);
    const staff = staffOf(cup);
    const { id } = await staff.add({ name: 'Station 1', streamUrl: 'https://stream.example.com/1' });
    const [m1, m2, m3] = await readMatches(api, cup.tournamentId);
    const assigned = await staff.assign(m2, id, { version: m2?.version });
    expect(assigned.body).toMatchObject({
      ...{ stationId: id, station: 'Station 1', streamUrl: 'https://stream.example.com/1', version: 2 },
    });
    await staff.assign(m1, id);
    await staff.assign(m3, id);
    await staff.act(m3, 'start');
    const [station] = (await staff.list()).items;
    expect([station?.currentMatch?.number, numbers(station?.queue ?? [])]).toEqual([3, [1, 2]]);
    const decided = await staff.act(m3, 'resolve', { winnerId: m3?.slots[0].participantId });
    expect(decided.body).toMatchObject({ status: 'completed', station: 'Station 1' });
    expect(placeOf(await staff.list())).toEqual({ 'Station 1': 1 });
    expect((await staff.assign(m1, null)).body).toMatchObject({ stationId: null, station: null, streamUrl: null });
    expect(placeOf(await staff.list())).toEqual({ 'Station 1': 2 });
    const late = await staff.assign(m3, null);
    expect([late.status, late.reason]).toEqual([409, 'MATCH_ALREADY_DECIDED']);
    const stale = await staff.assign(m2, null, { version: 1 });
    expect([stale.status, stale.reason]).toEqual([412, 'VERSION_MISMATCH']);
    await staff.remove(id);
    expect((await readMatches(api, cup.tournamentId)).every(({ stationId }) => stationId === null)).toBe(true);
  });

  test('by itself fills free stations at the start, with every result and in rounds drawn later', async () => {
    const cup = await makeCup(4, { format: 'swiss', formatOptions: { rounds: 2 } });
    const staff = staffOf(cup);
    await staff.add({ name: 'One', autoAssign: true });
    await api.post(`/tournaments/${cup.tournamentId}/start`, { bearer: cup.organizer.bearer });
    expect(placeOf(await staff.list())).toEqual({ One: 1 });
    const [m1, m2] = await readMatches(api, cup.tournamentId);
    await staff.act(m1, 'resolve', { winnerId: m1?.slots[0].participantId });
    expect(placeOf(await staff.list())).toEqual({ One: 2 });
    const two = await staff.add({ name: 'Two', autoAssign: true });
    expect(two.currentMatch).toBeNull();
    await staff.act(m2, 'resolve', { winnerId: m2?.slots[0].participantId });
    expect(placeOf(await staff.list())).toEqual({ One: 3, Two: 4 });
    // The first station is gone, its match waits, and the free one takes it.
    const [one] = (await staff.list()).items;
    const m4 = (await readMatches(api, cup.tournamentId)).find(({ number }) => number === 4);
    await staff.act(m4, 'resolve', { winnerId: m4?.slots[0].participantId });
    await staff.remove(one?.id ?? '');
    expect(placeOf(await staff.list())).toEqual({ Two: 3 });
  });

  test('does not follow a match that staff takes off its station', async () => {
    const cup = await startCup(api, 4);
    const staff = staffOf(cup);
    await staff.add({ name: 'One', autoAssign: true });
    const [m1] = await readMatches(api, cup.tournamentId);
    await staff.assign(m1, null);
    expect(placeOf(await staff.list())).toEqual({ One: 2 });
  });

  test('by itself takes nothing for later than in an hour, also where players agree on that', async () => {
    const cup = await startCup(api, 4);
    const staff = staffOf(cup);
    const inHours = (hours: number) => ({ scheduledAt: new Date(Date.now() + hours * 3_600_000).toISOString() });
    await staff.add({ name: 'One', autoAssign: true });
    const [m1, m2] = await readMatches(api, cup.tournamentId);
    const later = inHours(80 * 24);
    for (const { participantId } of m1?.slots ?? []) {
      const bearer = await cup.bearerOf(participantId);
      expect((await api.post(`/matches/${m1?.id}/reschedule`, { bearer, body: later })).status).toBe(200);
    }
    expect((await readMatches(api, cup.tournamentId))[0]).toMatchObject({ ...later, stationId: null });
    expect(placeOf(await staff.list())).toEqual({ One: 2 });
    await staff.add({ name: 'Two', autoAssign: true });
    expect(placeOf(await staff.list())).toEqual({ One: 2, Two: null });
    // Staff keep a station for later, but nobody waits for it until then.
    expect((await staff.act(m2, 'reschedule', inHours(3))).body.station).toBe('One');
    expect(placeOf(await staff.list())).toEqual({ One: null, Two: null });
    await staff.act(m1, 'reschedule', inHours(0.5));
    expect(placeOf(await staff.list())).toEqual({ One: 1, Two: null });
  });

  test('of sixteen at once gives each station one match', async () => {
    const cup = await startCup(api, 16);
    const staff = staffOf(cup);
    await Promise.all(Array.from({ length: 4 }, (_, at) => staff.add({ name: `Station ${at}`, autoAssign: true })));
    const matches = (await readMatches(api, cup.tournamentId)).filter(({ status }) => status === 'ready');
    await Promise.all(matches.map((match) => staff.act(match, 'resolve', { winnerId: match.slots[0].participantId })));
    const { items } = await staff.list();
    const current = items.map(({ currentMatch }) => currentMatch?.number);
    expect(new Set(current).size).toBe(4);
    expect(items.flatMap(({ queue }) => queue)).toEqual([]);
  });
});

describe('a call', () => {
  test('starts the time to show up, emails the players, and can be taken back', async () => {
    const cup = await startCup(api, 4, { noShowGraceMinutes: 7 });
    const staff = staffOf(cup);
    const { id } = await staff.add({ name: 'Station 3' });
    const [m1, m2] = await readMatches(api, cup.tournamentId);
    await staff.assign(m1, id);
    // An unconfirmed address gets no email.
    const [reachable, other] = m1?.slots.map(({ participantId }) => participantId ?? '') ?? [];
    await cup.bearerOf(reachable);
    const unconfirmed = { participations: { some: { id: other } } };
    await db.user.updateMany({ where: unconfirmed, data: { emailVerifiedAt: null } });
    const called = await staff.act(m1, 'call');
    expect(called.status, called.text).toBe(200);
    const { calledAt, showUpBy } = called.body;
    expect(Date.parse(showUpBy ?? '') - Date.parse(calledAt ?? '')).toBe(7 * 60_000);
    const mails = await db.outgoingMail.findMany({
      where: { kind: 'match.call', dedupeKey: { contains: m1?.id ?? '' } },
    });
    const { user } = await db.participant.findUniqueOrThrow({
      where: { id: reachable },
      select: { user: { select: { email: true } } },
    });
    expect(mails.map(({ recipient }) => recipient)).toEqual([user?.email]);
    const again = await staff.act(m1, 'call');
    expect([again.status, again.reason]).toEqual([409, 'INVALID_STATE']);
    expect((await staff.act(m1, 'call', { called: false })).body).toMatchObject({ calledAt: null, showUpBy: null });
    expect((await staff.act(m1, 'call', { called: false })).status).toBe(409);
    expect((await staff.act(m2, 'call', { version: 9 })).status).toBe(412);
  });

  test('is refused for matches that are not to be played now', async () => {
    const cup = await startCup(api, 4);
    const staff = staffOf(cup);
    const [m1, m2, last] = await readMatches(api, cup.tournamentId);
    expect((await staff.act(last, 'call')).reason).toBe('MATCH_NOT_READY');
    await staff.act(m1, 'start');
    expect((await staff.act(m1, 'call')).reason).toBe('INVALID_STATE');
    await staff.act(m2, 'resolve', { winnerId: m2?.slots[0].participantId });
    expect((await staff.act(m2, 'call')).reason).toBe('MATCH_ALREADY_DECIDED');
  });

  test('keeps the match from being forfeited until the time is over', async () => {
    const cup = await startCup(api, 4);
    const staff = staffOf(cup);
    const [m1, m2] = await readMatches(api, cup.tournamentId);
    const absent = { participantIds: [m1?.slots[1].participantId], reason: 'No-show' };
    await staff.act(m1, 'call');
    const early = await staff.act(m1, 'forfeit', absent);
    expect([early.status, early.reason]).toEqual([409, 'GRACE_NOT_OVER']);
    await db.match.update({ where: { id: m1?.id ?? '' }, data: { showUpBy: new Date(Date.now() - 1) } });
    const forfeited = await staff.act(m1, 'forfeit', absent);
    expect(forfeited.body).toMatchObject({ status: 'forfeited', winnerId: m1?.slots[0].participantId, showUpBy: null });
    expect(forfeited.body.calledAt).not.toBeNull();
    // Who plays has shown up: the time no longer matters.
    await staff.act(m2, 'call');
    expect((await staff.act(m2, 'start')).body.showUpBy).toBeNull();
    const gaveUp = { participantIds: [m2?.slots[0].participantId] };
    expect((await staff.act(m2, 'forfeit', gaveUp)).status).toBe(200);
  });

  test('without a grace time allows it at once, and moving the match ends the call', async () => {
    const cup = await startCup(api, 4, { noShowGraceMinutes: 0 });
    const staff = staffOf(cup);
    const [m1, m2] = await readMatches(api, cup.tournamentId);
    await staff.act(m1, 'call');
    expect((await staff.act(m1, 'forfeit', { participantIds: [m1?.slots[1].participantId] })).status).toBe(200);
    await staff.act(m2, 'call');
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const moved = await staff.act(m2, 'reschedule', { scheduledAt });
    expect(moved.body).toMatchObject({ scheduledAt, calledAt: null, showUpBy: null });
  });
});

test('open pages learn of stations, assignments and calls, which have no events', async () => {
  const cup = await startCup(api, 2);
  const staff = staffOf(cup);
  const events = () => db.domainEvent.count({ where: { projectId: cup.project.id } });
  const before = await events();
  const input = encodeURIComponent(JSON.stringify({ json: { tournamentId: cup.tournamentId } }));
  const [match] = await readMatches(api, cup.tournamentId);
  const { id } = await staff.add({ name: 'Station 1' });
  for (const change of [
    () => staff.change(id, { name: 'Station A' }),
    () => staff.assign(match, id),
    () => staff.act(match, 'call'),
    () => staff.setQueue([match?.id]),
    () => staff.remove(id),
  ]) {
    const page = await follow(`${api.url}/api/trpc/tournaments.live?input=${input}`);
    await page.until('live.resumed');
    expect((await change()).status).toBe(200);
    await page.until('match.changed');
  }
  expect(await events()).toBe(before);
});

describe('the stream queue', () => {
  test('is set as a whole, feeds the station with the stream, and loses what is decided', async () => {
    const cup = await startCup(api, 8);
    const staff = staffOf(cup);
    const [m1, m2, m3, m4, semi] = await readMatches(api, cup.tournamentId);
    expect(await staff.queue()).toMatchObject({ onStream: null, items: [] });
    const set = await staff.setQueue([m3?.id, semi?.id, m1?.id]);
    expect(set.status, set.text).toBe(200);
    expect(numbers(set.body.items)).toEqual([3, 5, 1]);
    await staff.add({ name: 'Side', autoAssign: true });
    await staff.add({ name: 'Stage', streamUrl: 'https://stream.example.com/stage', autoAssign: true });
    expect(placeOf(await staff.list())).toEqual({ Side: 1, Stage: 3 });
    expect((await staff.queue()).onStream).toBeNull();
    await staff.act(m3, 'call');
    expect((await staff.queue()).onStream?.number).toBe(3);
    await staff.act(m3, 'resolve', { winnerId: m3?.slots[0].participantId });
    expect(numbers((await staff.queue()).items)).toEqual([5, 1]);
    // M1 is at the other station, and M5 waits for its participants: the stage stays free for the queue.
    expect(placeOf(await staff.list())).toEqual({ Side: 1, Stage: null });
    await staff.setQueue([m2?.id]);
    expect(placeOf(await staff.list())).toEqual({ Side: 1, Stage: 2 });
    expect((await staff.setQueue([])).body.items).toEqual([]);
    const over = await staff.setQueue([m4?.id, m3?.id]);
    expect([over.status, over.reason]).toEqual([409, 'MATCH_ALREADY_DECIDED']);
    expect((await staff.queue()).items).toEqual([]);
  });

  test('refuses matches of other tournaments and matches listed twice', async () => {
    const [cup, other] = await Promise.all([startCup(api, 4), startCup(api, 4)]);
    const [mine] = await readMatches(api, cup.tournamentId);
    const [theirs] = await readMatches(api, other.tournamentId);
    for (const matchIds of [[theirs?.id], [mine?.id, mine?.id], ['mat_nothing']]) {
      expect((await staffOf(cup).setQueue(matchIds)).status).toBe(400);
    }
    const draft = await makeCup(2);
    expect((await staffOf(draft).setQueue([])).reason).toBe('INVALID_STATE');
  });
});
