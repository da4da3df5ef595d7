import { afterAll, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { closeDatabase, db, pool } from '@/server/db';
import { deleteOldMarks, type RelayedJob, startRelay, takeOverdue } from '@/server/events/relay';
import { logger } from '@/server/logger';
import { registry } from '@/server/metrics';
import { makeProject } from '@/test/factories';
import { until } from '@/test/receiver';

afterAll(() => closeDatabase());

/** A job with so many things that are never done, each in a block of its own. */
const never = (name: string, count = 3): RelayedJob<{ part: string }> => ({
  name,
  overdue: `SELECT 'id' || n AS id, 'prj_' || n AS "projectId", jsonb_build_object('part', $1::interval::text) AS data
    FROM generate_series(1, ${count}) n`,
  events: (due) => due.map(({ id }) => ({ name: 'test/again', data: { id } })),
});

const nextIn = async (job: string) => {
  const { rows } = await pool.query<{ times: number; seconds: number }>(
    `SELECT times, round(extract(epoch FROM "nextAt" - now()))::int AS seconds FROM resent_job WHERE job = $1 AND "jobId" = 'id1'`,
    [job],
  );
  return rows[0];
};
/** A pause of so many seconds that has begun lately: it is some seconds ago on a busy machine. */
const lately = (seconds: number) => expect.toSatisfy((left: number) => left <= seconds && left > seconds - 10);
/** The column has milliseconds, to which a time may be rounded up. */
const letPass = (job: string) =>
  pool.query(`UPDATE resent_job SET "nextAt" = now() - interval '1 ms' WHERE job = $1`, [job]);

test('of many processes, one takes what is overdue, and nobody again until a pause is over that doubles', async () => {
  const job = never('once');
  const taken = (await Promise.all(Array.from({ length: 8 }, () => takeOverdue(job, 20_000)))).flat();
  expect(taken.map(({ id }) => id).sort()).toEqual(['id1', 'id2', 'id3']);
  expect(taken[0]?.data).toEqual({ part: '00:00:20' });
  expect(await takeOverdue(job, 20_000)).toEqual([]);
  expect(await nextIn(job.name)).toEqual({ times: 1, seconds: lately(20) });
  for (const [times, seconds] of [2, 3, 4, 5].map((times) => [times, Math.min(20 * 2 ** (times - 1), 60)])) {
    await letPass(job.name);
    expect(await takeOverdue({ ...job, longestPause: 60 }, 20_000)).toHaveLength(3);
    expect(await nextIn(job.name)).toEqual({ times, seconds: lately(seconds ?? 0) });
  }
});

test('what was sent again is counted and logged; what could not be sent is tried at the next look', async () => {
  const lines: object[] = [];
  const warn = (fields: object, message: string) => lines.push({ ...fields, message });
  const quiet = Object.assign(Object.create(logger), { warn });
  const lost = { ...never('failing'), events: () => [{ name: '', data: {} }] };
  const relay = startRelay({ jobs: [lost, never('counted')], logger: quiet, patienceMs: 60_000, everyMs: 20 });
  await until(() => lines.length >= 4);
  await relay.stop();
  const again = { job: 'counted', count: 3, message: 'sent again what was not handled in time' };
  expect(lines.filter((line) => 'job' in line && line.job === 'counted')).toEqual([again]);
  expect(await registry.metrics()).toContain('laurel_jobs_sent_again_total{job="counted"} 3');
  expect(await nextIn('counted')).toMatchObject({ times: 1 });
  expect((await nextIn('failing'))?.times).toBe(0);
  expect(await registry.metrics()).not.toContain('job="failing"');
});

/** A job that notes what its events were made of, in the pieces in which they were sent. */
function inPieces(job: RelayedJob<{ part: string }>) {
  const pieces: string[][] = [];
  const events: typeof job.events = (due) => {
    pieces.push(due.map(({ id }) => id));
    return job.events(due);
  };
  return { pieces, job: { ...job, events } };
}

test('what a look finds is sent evenly until the next, and not all at once', async () => {
  const many = inPieces(never('many', 400));
  const few = inPieces(never('few', 5));
  const relay = startRelay({ jobs: [many.job, few.job], logger, patienceMs: 60_000, everyMs: 200 });
  await until(() => many.pieces.flat().length === 400);
  await relay.stop();
  expect(many.pieces.map((piece) => piece.length)).toEqual(Array.from({ length: 20 }, () => 20));
  expect(new Set(many.pieces.flat()).size).toBe(400);
  expect(few.pieces.map((piece) => piece.length)).toEqual([5]);
});

test('what a process has not sent when it stops is sent by the next', async () => {
  const { pieces, job } = inPieces(never('stopped', 15));
  const options = { jobs: [job], logger, patienceMs: 60_000 };
  const relay = startRelay({ ...options, everyMs: 3_600_000 });
  await until(() => pieces.length === 1);
  await relay.stop();
  const sent = pieces.flat();
  expect(sent).toHaveLength(5);
  const next = startRelay({ ...options, everyMs: 20 });
  await until(() => pieces.flat().length === 15);
  await next.stop();
  expect(new Set(pieces.flat()).size).toBe(15);
});

test('what projects of one block have overdue leaves room for others, and gets its turn', async () => {
  const [own, other] = await Promise.all([Promise.all(Array.from({ length: 20 }, () => makeProject())), makeProject()]);
  const id = { in: own.map(({ project }) => project.id) };
  await db.project.updateMany({ where: { id }, data: { createdFrom: newId('prj') } });
  const job = {
    ...never('turns'),
    overdue: `SELECT p.id || n AS id, p.id AS "projectId", jsonb_build_object('since', $1::interval) AS data FROM project p
      CROSS JOIN generate_series(1, CASE p.id WHEN '${other.project.id}' THEN 1 ELSE 30 END) n
      WHERE p.id = ANY ('{${[...id.in, other.project.id]}}')`,
  };
  const taken = await takeOverdue(job, 20_000);
  expect(taken.slice(0, 2).map((due) => due.id)).toContain(`${other.project.id}1`);
  const seen = new Set(taken.map((due) => due.id));
  expect(seen.size).toBe(51);
  for (let looks = 1; seen.size < 601 && looks < 30; looks += 1) {
    for (const due of await takeOverdue(job, 20_000)) seen.add(due.id);
  }
  expect(seen.size).toBe(601);
});

test('it forgets what it has not sent for two days', async () => {
  await takeOverdue(never('old'), 20_000);
  await pool.query(`UPDATE resent_job SET "nextAt" = now() - interval '49 hours' WHERE job = 'old'`);
  expect(await deleteOldMarks()).toBe(3);
});
