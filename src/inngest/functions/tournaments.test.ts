import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emitRegistrationChanges } from '@/inngest/functions/tournaments';
import { db, pool } from '@/server/db';
import { systemActor } from '@/server/events/emit';
import { takeOverdue } from '@/server/events/relay';
import {
  emitRegistrationChange,
  missedRegistrationChanges,
  restartSchedule,
} from '@/server/routers/tournaments/data-schedule';
import { type Background, quiet, startBackground } from '@/test/background';
import { makeProject, makeTournament } from '@/test/factories';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

const origin = { actor: systemActor, requestId: null };
const processes: Background[] = [];
const api = setupTestServer();

beforeAll(async () => {
  const functions = [emitRegistrationChanges];
  // As early as the sleeps of an Inngest server end.
  // The relay would hide a run that missed its moment.
  const options = { functions, logger: quiet, wakeEarlyMs: 500, patienceMs: 3_600_000 };
  for (let count = 0; count < 2; count += 1) processes.push(await startBackground(options));
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
});

const soon = (ms: number) => new Date(Date.now() + ms);

/** Resolves a second after the moment. */
const secondAfter = (moment: Date) =>
  new Promise((resolve) => setTimeout(resolve, moment.getTime() + 1_000 - Date.now()));

async function registrationEvents(id: string): Promise<{ type: string; occurredAt: Date }[]> {
  return db.domainEvent.findMany({
    where: { aggregateId: id, type: { startsWith: 'registration.' } },
    orderBy: { sequence: 'asc' },
    select: { type: true, occurredAt: true },
  });
}

/** The events about the tournament's registration, once there are `count` of them. */
async function waitForEvents(id: string, count: number) {
  await until(async () => (await registrationEvents(id)).length >= count);
  return registrationEvents(id);
}

async function changeOpening(id: string, bearer: string, registrationOpensAt: Date) {
  const body = { registrationOpensAt: registrationOpensAt.toISOString() };
  expect((await api.patch(`/tournaments/${id}`, { bearer, body })).status).toBe(200);
}

/** Publishes a tournament whose registration opens and closes so many milliseconds from now. */
async function publishTournament(opensInMs: number, closesInMs: number) {
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id, { status: 'DRAFT', publishedAt: null });
  const [opensAt, closesAt] = [soon(opensInMs), soon(closesInMs)];
  await db.tournament.update({ where: { id }, data: { registrationOpensAt: opensAt, registrationClosesAt: closesAt } });
  const answer = await api.post(`/tournaments/${id}/publish`, { bearer: owner.bearer });
  expect(answer.status).toBe(200);
  return { id, bearer: owner.bearer, opensAt, closesAt };
}

test.concurrent('opening and closing are emitted once, right after the set times, by two processes', async ({
  expect,
}) => {
  const { id, opensAt, closesAt } = await publishTournament(4_000, 14_000);
  const events = await waitForEvents(id, 2);
  expect(events.map((event) => event.type)).toEqual(['registration.opened', 'registration.closed']);
  expect(events[0]?.occurredAt.getTime()).toBeGreaterThanOrEqual(opensAt.getTime());
  expect(events[0]?.occurredAt.getTime()).toBeLessThan(closesAt.getTime());
  expect(events[1]?.occurredAt.getTime()).toBeGreaterThanOrEqual(closesAt.getTime());
  await Promise.all(Array.from({ length: 5 }, () => emitRegistrationChange(id, origin)));
  expect(await registrationEvents(id)).toHaveLength(2);
});

test.concurrent('an opening moved forward is emitted at the new time', async ({ expect }) => {
  const { id, bearer } = await publishTournament(600_000, 900_000);
  const moved = soon(2_000);
  await changeOpening(id, bearer, moved);
  const events = await waitForEvents(id, 1);
  expect(events.map((event) => event.type)).toEqual(['registration.opened']);
  expect(events[0]?.occurredAt.getTime()).toBeGreaterThanOrEqual(moved.getTime());
});

test.concurrent('an opening moved back is not emitted at the old time', async ({ expect }) => {
  const { id, bearer, opensAt } = await publishTournament(9_000, 900_000);
  await changeOpening(id, bearer, soon(600_000));
  await secondAfter(opensAt);
  expect(await registrationEvents(id)).toEqual([]);
});

test.concurrent('nothing is emitted for a cancelled tournament', async ({ expect }) => {
  const { id, bearer, opensAt } = await publishTournament(9_000, 900_000);
  await api.post(`/tournaments/${id}/cancel`, { bearer });
  await secondAfter(opensAt);
  expect(await registrationEvents(id)).toEqual([]);
});

test('the relay finds changes that were not emitted, and nothing else; however many find them, they are emitted once', async () => {
  const { project } = await makeProject();
  const missedOpening = await makeTournament(project.id);
  const missedClosing = await makeTournament(project.id, {
    registrationClosesAt: soon(-1_000),
    registrationAnnounced: 'opened',
  });
  await makeTournament(project.id, { registrationOpensAt: soon(60_000) });
  await makeTournament(project.id, { registrationAnnounced: 'opened' });
  await makeTournament(project.id, { registrationClosesAt: soon(-1_000) });
  await makeTournament(project.id, { status: 'CANCELLED', registrationAnnounced: 'opened' });
  const own = async () => {
    const due = new Set((await takeOverdue(missedRegistrationChanges, 0)).map(({ id }) => id));
    const rows = await db.tournament.findMany({ where: { projectId: project.id }, select: { id: true } });
    return rows.map(({ id }) => id).filter((id) => due.has(id));
  };
  expect((await own()).sort()).toEqual([missedOpening.id, missedClosing.id].sort());
  await Promise.all(
    [1, 2, 3].flatMap(async () => Promise.all((await own()).map((id) => emitRegistrationChange(id, origin)))),
  );
  expect(await own()).toEqual([]);
  expect((await registrationEvents(missedOpening.id)).map((event) => event.type)).toEqual(['registration.opened']);
  expect((await registrationEvents(missedClosing.id)).map((event) => event.type)).toEqual(['registration.closed']);
});

test('triggering the schedule twice for one version starts one run', async () => {
  const { project } = await makeProject();
  const row = await makeTournament(project.id, { registrationOpensAt: soon(1_000) });
  await Promise.all([restartSchedule(row), restartSchedule(row)]);
  await waitForEvents(row.id, 1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await registrationEvents(row.id)).toHaveLength(1);
});

/** How often the functions of tournaments were started. */
async function countRestarts(ids: string[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM local_inngest.events
     WHERE name = 'tournament/scheduled' AND body::jsonb #>> '{data,tournamentId}' = ANY ($1)`,
    [ids],
  );
  return rows[0]?.count ?? 0;
}

test('thirty changes in a row begin few runs, the last of which reads the last schedule', async () => {
  const { id } = await publishTournament(600_000, 900_000);
  const change = (registrationOpensAt: Date) =>
    db.tournament.update({ where: { id }, data: { registrationOpensAt, version: { increment: 1 } } });
  const rows = [];
  for (let at = 1; at <= 29; at += 1) rows.push(await change(soon((at % 2 === 0 ? 600 + at : 600 - at) * 1_000)));
  const moved = soon(3_000);
  rows.push(await change(moved));
  await Promise.all(rows.map((row) => restartSchedule(row)));
  const [event] = await waitForEvents(id, 1);
  expect(event?.type).toBe('registration.opened');
  expect(event?.occurredAt.getTime()).toBeGreaterThanOrEqual(moved.getTime());
  expect(await countRestarts([id])).toBeLessThan(5);
});

test('an opening that was moved forward and then back, while the restart waits, is emitted at the last time', async () => {
  const { id, bearer } = await publishTournament(600_000, 900_000);
  await changeOpening(id, bearer, soon(2_500));
  const last = soon(6_000);
  await changeOpening(id, bearer, last);
  const [event] = await waitForEvents(id, 1);
  expect(event?.type).toBe('registration.opened');
  expect(event?.occurredAt.getTime()).toBeGreaterThanOrEqual(last.getTime());
});

test.each([
  ['a project', 1, 80],
  ['projects of one block of addresses', 20, 4],
])(
  'of many tournaments of %s that change, few are restarted at once; those of others do not wait',
  async (_whose, projects, ofEach) => {
    const rows: Awaited<ReturnType<typeof makeTournament>>[] = [];
    const block = randomUUID();
    for (let count = 0; count < projects; count += 1) {
      const { project } = await makeProject();
      await db.project.update({ where: { id: project.id }, data: { createdFrom: block }, select: { id: true } });
      for (let at = 0; at < ofEach; at += 1) {
        rows.push(await makeTournament(project.id, { registrationOpensAt: soon(600_000) }));
      }
    }
    await Promise.all(rows.map((row) => restartSchedule(row)));
    const { id, bearer } = await publishTournament(600_000, 900_000);
    expect(await countRestarts([id])).toBe(1);
    await changeOpening(id, bearer, soon(1_000));
    await waitForEvents(id, 1);
    expect(await countRestarts(rows.map((row) => row.id))).toBeLessThan(80);
  },
);
