import { afterAll, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { endForgotten, evaluateSessions } from '@/inngest/functions/anti-cheat';
import { db } from '@/server/db';
import { injector, setupAntiCheat } from '@/server/routers/anticheat/anticheat.fixture';
import { type Background, quiet, startBackground } from '@/test/background';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();
let background: Background | undefined;
afterAll(() => background?.stop());

test('sessions that are forgotten together delay no evaluation of others, and none of their windows is lost', async () => {
  const [busy, calm] = [await setupAntiCheat(server), await setupAntiCheat(server)];
  const [cheater, client] = [await busy.enroll(), await calm.enroll()];
  const { sessionId: live } = await calm.start();
  await cheater.report(injector(1));
  await client.report(injector(1));
  const ids = Array.from({ length: 600 }, () => newId('acs'));
  const session = {
    projectId: busy.project.id,
    matchId: newId('mat'),
    game: 'cs2' as const,
    startedAt: new Date(Date.now() - 25 * 3_600_000),
    evaluatedUntil: new Date(Date.now() - 50_000),
  };
  await db.antiCheatSession.createMany({ data: ids.map((id) => ({ ...session, id })) });
  await db.antiCheatSessionClient.createMany({ data: ids.map((sessionId) => ({ sessionId, clientId: cheater.id })) });
  background = await startBackground({ functions: [evaluateSessions, endForgotten], logger: quiet });

  const forgotten = { sessionId: { in: ids } };
  const found = () => db.detection.findFirst({ where: { sessionId: live } });
  await until(async () => (await found()) !== null);
  const before = { ...forgotten, raisedAt: { lt: (await found())?.raisedAt } };
  expect(await db.detection.count({ where: before })).toBeLessThan(20);

  const ended = { id: { in: ids }, endReason: 'expired' };
  await until(async () => (await db.antiCheatSession.count({ where: ended })) === ids.length);
  await until(async () => (await db.detection.count({ where: forgotten })) === ids.length);
  const completed = { type: 'anticheat.session_completed', aggregateId: { in: ids } };
  expect(await db.domainEvent.count({ where: completed })).toBe(ids.length);
  // Up to a minute passes before the first round.
}, 240_000);
