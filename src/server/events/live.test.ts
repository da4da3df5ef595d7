import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db, pool } from '@/server/db';
import { emit, systemActor } from '@/server/events/emit';
import { type EventNotice, liveConnected, onDomainEvent, startLive, stopLive } from '@/server/events/live';
import { liveEvents } from '@/server/events/live-events';
import { makeProject, makeTournament } from '@/test/factories';

beforeAll(startLive);
afterAll(stopLive);

async function publish(projectId: string, tournamentId: string) {
  const row = await db.tournament.findUniqueOrThrow({ where: { id: tournamentId } });
  const payload = {
    tournamentId,
    slug: row.slug,
    name: row.name,
    status: row.status,
    game: row.gameId,
    format: row.format,
    startDate: row.startDate.toISOString(),
    maxParticipants: row.maxParticipants,
    currentParticipants: row.currentParticipants,
  };
  const event = { type: 'tournament.published', projectId, aggregateId: tournamentId, payload } as const;
  return db.$transaction((tx) => emit(tx, { actor: systemActor, requestId: null }, event));
}

async function take(events: AsyncGenerator<EventNotice>, count: number): Promise<EventNotice[]> {
  const taken: EventNotice[] = [];
  for await (const notice of events) {
    taken.push(notice);
    if (taken.length === count) break;
  }
  return taken;
}

test('a listener is notified of events that are committed, not of those that are rolled back', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  const received: EventNotice[] = [];
  const stop = onDomainEvent((notice) => received.push(notice));
  await db
    .$transaction(async (tx) => {
      const payload = { userId: 'usr_x', email: 'x@players.test', name: 'X' };
      await emit(
        tx,
        { actor: systemActor, requestId: null },
        { type: 'user.created', projectId: null, aggregateId: 'usr_x', payload },
      );
      throw new Error('no');
    })
    .catch(() => undefined);
  const [eventId] = await publish(project.id, id);
  await expect.poll(() => received.length).toBeGreaterThan(0);
  expect(received).toEqual([
    {
      id: eventId,
      type: 'tournament.published',
      projectId: project.id,
      aggregateType: 'tournament',
      aggregateId: id,
      tournamentId: id,
      userId: null,
    },
  ]);
  stop();
});

test('a subscriber gets matching notices from the call on, and several of a kind as one', async () => {
  const { project } = await makeProject();
  const [one, two] = [await makeTournament(project.id), await makeTournament(project.id)];
  const abort = new AbortController();
  const { notices: narrow } = liveEvents([one.id], abort.signal);
  const { notices: wide } = liveEvents([project.id], abort.signal);
  const { notices: foreign } = liveEvents([newId('prj')], abort.signal);
  let notified = 0;
  const stop = onDomainEvent(() => {
    notified += 1;
  });
  for (let count = 0; count < 3; count += 1) await publish(project.id, one.id);
  await publish(project.id, two.id);
  await expect.poll(() => notified).toBe(4);
  stop();
  expect((await take(narrow, 1)).map(({ aggregateId }) => aggregateId)).toEqual([one.id]);
  expect((await take(wide, 2)).map(({ aggregateId }) => aggregateId)).toEqual([one.id, two.id]);
  abort.abort();
  expect(await foreign.next()).toEqual({ done: true, value: undefined });
});

test('after a gap, every subscriber has to refetch', async () => {
  const abort = new AbortController();
  const { notices: events } = liveEvents([newId('trn')], abort.signal);
  await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE application_name = 'laurel live' AND datname = current_database()`);
  expect((await take(events, 1)).map(({ type }) => type)).toEqual(['live.resumed']);
  expect(liveConnected()).toBe(true);
  abort.abort();
});

test('a subscriber that disconnects is removed', async () => {
  const abort = new AbortController();
  const { notices: events } = liveEvents([newId('trn')], abort.signal);
  const waiting = events.next();
  abort.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
});
