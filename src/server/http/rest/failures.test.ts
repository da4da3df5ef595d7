import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { holdLock } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

test('a request whose connection to the database is cut gets a 503, and the next one is served', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  const { bearer } = await makeUser();
  const path = `/tournaments/${id}/participants/register`;
  const release = await holdLock('SELECT 1 FROM tournament WHERE id = $1 FOR UPDATE', [id]);
  const waiting = api.post(path, { bearer });
  await until(async () => {
    const cut = await db.$queryRaw<unknown[]>`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return cut.length > 0;
  });
  const answer = await waiting;
  await release();
  expect([answer.status, answer.reason]).toEqual([503, 'NOT_READY']);
  expect(answer.body).toMatchObject({ success: false, data: null });
  expect((await api.post(path, { bearer })).status).toBe(201);
});
