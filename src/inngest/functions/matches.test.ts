import { afterAll, beforeAll, expect, test } from 'vitest';
import { autoStart, confirmReport } from '@/inngest/functions/matches';
import { db, pool } from '@/server/db';
import { systemActor } from '@/server/events/emit';
import { type RelayedJob, takeOverdue } from '@/server/events/relay';
import { runningSince } from '@/server/jobs/running-since';
import { missedStarts, startBySchedule } from '@/server/routers/matches/draw/data-auto-start';
import { countEvents, makeCup, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { confirmSilently, missedConfirmations } from '@/server/routers/matches/results/data-results';
import { restartSchedule } from '@/server/routers/tournaments/data-schedule';
import { type Background, quiet, startBackground } from '@/test/background';
import { makeParticipants, makeProject, makeTournament } from '@/test/factories';
import { holdLock, someoneWaits, waiting } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

const by = { actor: systemActor, requestId: null };
const processes: Background[] = [];
const api = setupTestServer();

beforeAll(async () => {
  // Waking as early as on an Inngest server, and without the relay, which would hide a run that missed its moment.
  const options = { functions: [confirmReport, autoStart], logger: quiet, wakeEarlyMs: 500, patienceMs: 3_600_000 };
  for (let count = 0; count < 2; count += 1) processes.push(await startBackground(options));
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
});

/** What the relay would send again if it waited for nothing. */
const overdue = async (job: RelayedJob<never>) => (await takeOverdue(job, 0)).map(({ id }) => id);

/** A match of two whose first side has reported that it won. */
async function reportedMatch() {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const bearer = await cup.bearerOf(match?.slots[0].participantId);
  // Who confirms their address by it, so that silence counts.
  await cup.bearerOf(match?.slots[1].participantId);
  const answer = await api.post(`/matches/${match?.id}/report`, { bearer, body: { games: [{ scores: [16, 3] }] } });
  expect(answer.status).toBe(200);
  const matchId = match?.id ?? '';
  await until(async () => (await emailsAbout(matchId)).length === 1);
  return { ...cup, matchId };
}

const emailsAbout = (matchId: string) => db.outgoingMail.findMany({ where: { dedupeKey: { contains: matchId } } });

/** Has the emails about a report taken by a mail server, as if at once. */
const sendEmailsAbout = (matchId: string) =>
  db.outgoingMail.updateMany({
    where: { dedupeKey: { contains: matchId } },
    data: { sentAt: new Date(0), dueAt: null, contentEncrypted: null },
  });

test('silence confirms a report once its time has passed, and only once', async () => {
  const { matchId, project } = await reportedMatch();
  await sendEmailsAbout(matchId);
  expect(await confirmSilently(matchId, by)).toBe(false);
  await db.match.update({ where: { id: matchId }, data: { confirmBy: new Date(Date.now() - 1_000) } });
  expect(await overdue(missedConfirmations)).toContain(matchId);
  const confirmed = await Promise.all(Array.from({ length: 4 }, () => confirmSilently(matchId, by)));
  expect(confirmed.filter(Boolean)).toHaveLength(1);
  expect(await countEvents(project.id)).toMatchObject({ 'match.completed': 1, 'tournament.completed': 1 });
  expect(await overdue(missedConfirmations)).not.toContain(matchId);
});

/** Whether a run waits to confirm a match at a moment. */
async function isAwaited(matchId: string, confirmBy: Date | null): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM local_inngest.runs WHERE status = 'running' AND event::jsonb -> 'data' ->> 'matchId' = $1
       AND event::jsonb -> 'data' ->> 'confirmBy' = $2`,
    [matchId, confirmBy?.toISOString()],
  );
  return rowCount === 1;
}

test('a report whose email waits for a mail server is confirmed later, by a run of its own', async () => {
  const { matchId } = await reportedMatch();
  const row = () => db.match.findUniqueOrThrow({ where: { id: matchId } });
  await until(async () => isAwaited(matchId, (await row()).confirmBy));
  await db.match.update({ where: { id: matchId }, data: { confirmBy: new Date(Date.now() - 1_000) } });
  expect(await confirmSilently(matchId, by)).toBe(false);
  expect(await overdue(missedConfirmations)).not.toContain(matchId);
  const { confirmBy } = await row();
  expect(Number(confirmBy)).toBeGreaterThan(Date.now());
  await until(() => isAwaited(matchId, confirmBy));
});

test('while nothing ran that could take an answer, silence says nothing', async () => {
  const { matchId, tournamentId } = await reportedMatch();
  await sendEmailsAbout(matchId);
  const confirmBy = new Date(Date.now() - 1_000);
  const { report } = await db.match.findUniqueOrThrow({ where: { id: matchId } });
  const reportedAt = new Date(runningSince - 60_000).toISOString();
  await db.match.update({ where: { id: matchId }, data: { confirmBy, report: { ...Object(report), reportedAt } } });
  expect(await confirmSilently(matchId, by)).toBe(false);
  const { autoConfirmMinutes } = await db.tournament.findUniqueOrThrow({ where: { id: tournamentId } });
  const row = () => db.match.findUniqueOrThrow({ where: { id: matchId } });
  expect(Number((await row()).confirmBy)).toBe(Math.floor(runningSince) + autoConfirmMinutes * 60_000);
  expect(await confirmSilently(matchId, by)).toBe(false);
  // Reported since.
  const again = new Date(Math.ceil(runningSince)).toISOString();
  await db.match.update({
    where: { id: matchId },
    data: { confirmBy, report: { ...Object(report), reportedAt: again } },
  });
  expect(await confirmSilently(matchId, by)).toBe(true);
});

test('a report that names another winner is asked about again, and silence does not confirm it', async () => {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const id = match?.id ?? '';
  const [first, second] = match?.slots.map(({ participantId }) => participantId) ?? [];
  const bearer = await cup.bearerOf(first);
  const opponent = await cup.bearerOf(second);
  const report = (scores: [number, number]) =>
    api.post(`/matches/${id}/report`, { bearer, body: { games: [{ scores }] } });
  const asked = () => db.outgoingMail.findMany({ where: { kind: 'match.report', dedupeKey: { contains: id } } });
  const { user } = await db.participant.findUniqueOrThrow({ where: { id: second ?? '' }, include: { user: true } });
  // The last one names the winner of the one before, and is as little confirmed by silence.
  for (const [index, won] of [3, 16, 17].entries()) {
    expect((await report([won, 10])).status).toBe(200);
    await until(async () => (await asked()).length === index + 1);
  }
  expect(new Set((await asked()).map(({ recipient }) => recipient))).toEqual(new Set([user?.email]));
  const past = new Date(Date.now() - 1_000);
  await db.match.updateMany({ where: { id, confirmBy: { not: null } }, data: { confirmBy: past } });
  expect(await confirmSilently(id, by)).toBe(false);
  expect(await overdue(missedConfirmations)).not.toContain(id);
  expect((await api.post(`/matches/${id}/confirm`, { bearer: opponent })).status).toBe(200);
  expect(await db.match.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'completed', winnerId: first });
});

test('a report against a guest waits for staff: nobody else can answer', async () => {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const [first, second] = match?.slots.map(({ participantId }) => participantId ?? '') ?? [];
  await db.participant.update({ where: { id: second }, data: { userId: null } });
  const bearer = await cup.bearerOf(first);
  await api.post(`/matches/${match?.id}/report`, { bearer, body: { games: [{ scores: [16, 3] }] } });
  const reported = () => db.match.findUniqueOrThrow({ where: { id: match?.id ?? '' } });
  await until(async () => (await reported()).confirmBy === null);
  expect(await reported()).toMatchObject({ status: 'in_progress', winnerId: null });
  expect((await reported()).report).not.toBeNull();
});

test('a disputed report is not confirmed by silence', async () => {
  const { matchId } = await reportedMatch();
  await db.match.update({ where: { id: matchId }, data: { status: 'disputed', confirmBy: null } });
  expect(await confirmSilently(matchId, by)).toBe(false);
});

test('a report of a cancelled tournament is not confirmed, and is not looked for again', async () => {
  const { matchId, tournamentId, organizer } = await reportedMatch();
  await db.match.update({ where: { id: matchId }, data: { confirmBy: new Date(Date.now() - 1_000) } });
  await api.post(`/tournaments/${tournamentId}/cancel`, { bearer: organizer.bearer });
  expect(await overdue(missedConfirmations)).toContain(matchId);
  expect(await confirmSilently(matchId, by)).toBe(false);
  expect(await db.match.findUniqueOrThrow({ where: { id: matchId } })).toMatchObject({
    confirmBy: null,
    winnerId: null,
  });
});

test('of many tournaments that start in the same second, few take connections, and projects take turns', async () => {
  const [{ project: busy }, { project: other }] = [await makeProject(), await makeProject()];
  const startDate = new Date(Date.now() + 6_000);
  const tournamentIds: string[] = [];
  for (const projectId of [...Array.from({ length: 40 }, () => busy.id), other.id]) {
    const row = await makeTournament(projectId, { autoStart: true, startDate });
    await makeParticipants(row, 8);
    await restartSchedule(row);
    tournamentIds.push(row.id);
  }
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, pool.waitingCount);
  }, 1);
  const where = { aggregateId: { in: tournamentIds }, type: 'tournament.started' };
  await until(async () => (await db.domainEvent.count({ where })) === tournamentIds.length, 60_000);
  clearInterval(watch);
  const started = await db.domainEvent.findMany({ where, orderBy: { sequence: 'asc' }, select: { aggregateId: true } });
  expect(started.findIndex(({ aggregateId }) => aggregateId === tournamentIds.at(-1))).toBeLessThan(10);
  expect(most).toBeLessThan(10);
});

test('while large tournaments of several projects start, a small one of another does', async () => {
  const startDate = new Date(Date.now() + 4_000);
  async function makeStart(count: number) {
    const { project } = await makeProject();
    const settings = { format: 'round_robin' as const, maxParticipants: 128, autoStart: true, startDate };
    const row = await makeTournament(project.id, settings);
    await makeParticipants(row, count);
    await restartSchedule(row);
    return row.id;
  }
  const long = [await makeStart(80), await makeStart(80), await makeStart(80)];
  const release = await holdLock('SELECT FROM "tournament" WHERE "id" = ANY ($1) FOR UPDATE', [long]);
  await until(async () => (await waiting()) > 0, 20_000);
  const small = await makeStart(4);
  const started = (ids: string[]) =>
    db.domainEvent.count({ where: { aggregateId: { in: ids }, type: 'tournament.started' } });
  await until(async () => (await started([small])) === 1, 30_000);
  expect([await waiting(), await started(long)]).toEqual([1, 0]);
  await release();
  await until(async () => (await started(long)) === long.length, 60_000);
});

test('a tournament starts by itself at its start date, once', async () => {
  const cup = await makeCup(4, { autoStart: true, startDate: new Date(Date.now() + 2_000) });
  expect(await startBySchedule(cup.tournamentId, by)).toBe(false);
  const row = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
  await restartSchedule(row);
  await until(async () => (await countEvents(cup.project.id))['tournament.started'] === 1, 20_000);
  expect(await startBySchedule(cup.tournamentId, by)).toBe(false);
  expect(await readMatches(api, cup.tournamentId)).toHaveLength(3);
});

test('a start that was moved many times happens at the last start date', async () => {
  const cup = await makeCup(4, { autoStart: true, startDate: new Date(Date.now() + 3_600_000) });
  const move = async (inMs: number) => {
    const startDate = new Date(Date.now() + inMs);
    const body = { startDate: startDate.toISOString() };
    const moved = await api.patch(`/tournaments/${cup.tournamentId}`, { bearer: cup.organizer.bearer, body });
    expect(moved.status, moved.text).toBe(200);
    return startDate;
  };
  for (let hours = 1; hours <= 28; hours += 1) await move((hours % 2 === 0 ? 100 + hours : 100 - hours) * 3_600_000);
  // Earlier than the runs that sleep, and later than the one that this begins.
  await move(2_000);
  const last = await move(5_000);
  await until(async () => (await countEvents(cup.project.id))['tournament.started'] === 1, 30_000);
  const started = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
  expect(started.startedAt?.getTime()).toBeGreaterThanOrEqual(last.getTime());
});

test('a start that the organizer moves at the last moment does not happen', async () => {
  const { tournamentId: id } = await makeCup(4, { autoStart: true, startDate: new Date(Date.now() - 1_000) });
  let started: Promise<boolean> | undefined;
  await db.$transaction(
    async (tx) => {
      await tx.tournament.update({ where: { id }, data: { startDate: new Date(Date.now() + 3_600_000) } });
      started = startBySchedule(id, by);
      await someoneWaits();
    },
    { timeout: 30_000 },
  );
  expect(await started).toBe(false);
  expect(await db.tournament.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'PUBLISHED' });
});

test('a tournament that cannot start, or does not start by itself, waits for its organizer', async () => {
  const passed = { startDate: new Date(Date.now() - 1_000) };
  const alone = await makeCup(1, { autoStart: true, ...passed });
  const manual = await makeCup(4, passed);
  const due = await overdue(missedStarts);
  expect(due).not.toContain(alone.tournamentId);
  expect(due).not.toContain(manual.tournamentId);
  expect(await startBySchedule(alone.tournamentId, by)).toBe(false);
  expect(await startBySchedule(manual.tournamentId, by)).toBe(false);
});

test('staff are emailed once for each start date when a tournament cannot start by itself', async () => {
  const {
    tournamentId: id,
    project,
    organizer,
  } = await makeCup(3, {
    ...{ autoStart: true, startDate: new Date(Date.now() - 1_000), format: 'groups_to_knockout' },
    formatOptions: { groups: 1, groupFormat: 'gsl' },
  });
  const emailed = async () => {
    const rows = await db.outgoingMail.findMany({ where: { dedupeKey: { contains: id } } });
    return rows.filter(({ recipient }) => recipient === organizer.email).map(({ kind, sourceId }) => [kind, sourceId]);
  };
  for (let tries = 0; tries < 2; tries += 1) expect(await startBySchedule(id, by)).toBe(false);
  expect(await emailed()).toEqual([['start_refused', project.id]]);
  await db.tournament.update({ where: { id }, data: { startDate: new Date(Date.now() - 500) } });
  expect(await startBySchedule(id, by)).toBe(false);
  expect(await emailed()).toHaveLength(2);
});
