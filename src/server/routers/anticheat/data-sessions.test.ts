import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { setupTestServer } from '@/test/server';
import { evaluate, eventsOf, injector, setupAntiCheat } from './anticheat.fixture';
import { endForgottenSessions } from './data-sessions';

const server = setupTestServer();

const dayMs = 24 * 3_600_000;

/** A project with sessions that started so many milliseconds more than a day ago. */
async function setupForgotten(agesMs: readonly number[], createdFrom: string) {
  const { project, start, enroll } = await setupAntiCheat(server);
  await db.project.update({ where: { id: project.id }, data: { createdFrom } });
  const client = await enroll();
  const sessionIds: string[] = [];
  for (const ageMs of agesMs) {
    const { sessionId } = await start();
    const startedAt = new Date(Date.now() - dayMs - ageMs);
    await db.antiCheatSession.update({ where: { id: sessionId }, data: { startedAt } });
    sessionIds.push(sessionId);
  }
  const open = async () => {
    const rows = await db.antiCheatSession.findMany({
      where: { id: { in: sessionIds }, endedAt: null },
      orderBy: { startedAt: 'asc' },
    });
    return rows.map(({ id }) => id);
  };
  return { client, sessionIds, open };
}

test('forgotten sessions are ended in turns of blocks, the oldest first, and those of less than a day go on', async () => {
  const [one, other] = [await setupForgotten([9_000, 8_000], 'many'), await setupForgotten([7_000, 6_000], 'many')];
  const calm = await setupForgotten([1_000, -60_000], 'calm');
  expect(await endForgottenSessions(2, 60_000)).toBe(2);
  expect([...(await one.open()), ...(await other.open())]).toEqual([one.sessionIds[1], ...other.sessionIds]);
  expect(await calm.open()).toEqual([calm.sessionIds[1]]);
  // Without time for more, one is ended all the same.
  expect(await endForgottenSessions(10, 0)).toBe(1);
  expect(await one.open()).toEqual([]);
  expect(await endForgottenSessions(10, 60_000)).toBe(2);
  expect(await endForgottenSessions(10, 60_000)).toBe(0);
  expect(await calm.open()).toEqual([calm.sessionIds[1]]);
});

test('a forgotten session that is in use is left to later, and waited for by nobody', async () => {
  const { sessionIds, open } = await setupForgotten([2_000, 1_000], 'used');
  const [used = '', free] = sessionIds;
  await db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM "anti_cheat_session" WHERE "id" = ${used} FOR UPDATE`;
    expect(await endForgottenSessions(10, 60_000)).toBe(1);
  });
  expect(await open()).toEqual([used]);
  expect(await endForgottenSessions(10, 60_000)).toBe(1);
  for (const id of [used, free]) expect(await eventsOf(id ?? '')).toEqual(['anticheat.session_completed']);
});

test('what a forgotten session has left is evaluated after its end', async () => {
  const { client, sessionIds } = await setupForgotten([0], 'left');
  const [sessionId = ''] = sessionIds;
  await client.report(injector(1));
  expect(await endForgottenSessions(10, 60_000)).toBe(1);
  expect(await db.detection.count({ where: { sessionId } })).toBe(0);
  // A report from after the end is none of it.
  await client.report(injector(2));
  expect(await evaluate(sessionId)).toBe(1);
  expect(await evaluate(sessionId)).toBe(0);
});
