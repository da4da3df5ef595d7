import { afterAll, beforeAll, expect, test } from 'vitest';
import { autoStart, confirmReport } from '@/inngest/functions/matches';
import { changeInTurn } from '@/inngest/turns';
import { db, pool } from '@/server/db';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { restartSchedule } from '@/server/routers/tournaments/data-schedule';
import { type Background, quiet, startBackground } from '@/test/background';
import { makeParticipants, makeProject, makeTournament } from '@/test/factories';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
const places = 2;
let background: Background;
beforeAll(async () => {
  const functions = [confirmReport, autoStart];
  background = await startBackground({ functions, logger: quiet, concurrency: places, patienceMs: 3_600_000 });
});
afterAll(() => background.stop());

/** Starts that a process has under way, whether or not they wait. */
async function startsUnderWay(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM local_inngest.jobs j JOIN local_inngest.runs r ON r.id = j.run_id
     WHERE j.leased_by IS NOT NULL AND j.function_id LIKE '%start-tournament%' AND r.steps <> ''`,
  );
  return rows[0]?.count ?? 0;
}

test('starts that wait for their turn, of however many projects, keep no email about a result waiting', async () => {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const bearer = await cup.bearerOf(match?.slots[0].participantId);
  await cup.bearerOf(match?.slots[1].participantId);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  // As many accounts as may have a small change under way.
  const others = await Promise.all(Array.from({ length: 6 }, () => makeProject()));
  const changes = others.map(({ project }) => changeInTurn(project.id, () => held));
  const due: string[] = [];
  for (let count = 0; count < 2 * places; count += 1) {
    const { project } = await makeProject();
    const row = await makeTournament(project.id, { autoStart: true, startDate: new Date(Date.now() + 1_000) });
    await makeParticipants(row, 4);
    await restartSchedule(row);
    due.push(row.id);
  }
  await until(async () => (await startsUnderWay()) >= places);
  const report = { games: [{ scores: [16, 3] }] };
  expect((await api.post(`/matches/${match?.id}/report`, { bearer, body: report })).status).toBe(200);
  const emails = { where: { kind: 'match.report', dedupeKey: { contains: match?.id } } };
  await until(async () => (await db.outgoingMail.count(emails)) === 1);
  const started = { where: { aggregateId: { in: due }, type: 'tournament.started' } };
  expect(await db.domainEvent.count(started)).toBe(0);
  release();
  await Promise.all(changes);
  await until(async () => (await db.domainEvent.count(started)) === due.length, 30_000);
});
