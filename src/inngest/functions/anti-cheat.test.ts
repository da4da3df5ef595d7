import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { askForVerdicts, endForgotten, evaluateSessions } from '@/inngest/functions/anti-cheat';
import { db } from '@/server/db';
import { injector, setupAntiCheat } from '@/server/routers/anticheat/anticheat.fixture';
import { type Background, quiet, startBackground } from '@/test/background';
import { openReceiver } from '@/test/queue';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();
let background: Background;
beforeAll(async () => {
  background = await startBackground({ functions: [evaluateSessions, endForgotten, askForVerdicts], logger: quiet });
});
afterAll(() => background.stop());

test('running sessions are evaluated by the minute, and verdicts are asked for', async () => {
  const provider = await openReceiver((_request, response) =>
    response.end(JSON.stringify({ verdict: 'inconclusive', confidence: 0.5, model: 'aim-review-2' })),
  );
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  Object.assign(env, { ANTI_CHEAT_VERDICT_URL: provider.url, ANTI_CHEAT_VERDICT_SECRET: secret });
  const { enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId } = await start();
  await client.report(injector(1));
  const recorded = { where: { sessionId, aiVerdict: 'inconclusive' as const } };
  await until(async () => (await db.detection.count(recorded)) === 1);
  expect(provider.received).toHaveLength(1);
});

test('ending hundreds of sessions that were forgotten together delays no evaluation of others, and loses none of their windows', async () => {
  const busy = await setupAntiCheat(server);
  const calm = await setupAntiCheat(server);
  const [cheater, client] = [await busy.enroll(), await calm.enroll()];
  await cheater.report(injector(1));
  const { matchId } = await busy.start({ game: 'cs2', participants: [] });
  const { sessionId: live } = await calm.start();
  await client.report(injector(1));

  const { id: projectId } = busy.project;
  const ids = Array.from({ length: 600 }, () => newId('acs'));
  const [startedAt, evaluatedUntil] = [new Date(Date.now() - 25 * 3_600_000), new Date(Date.now() - 30_000)];
  await db.$transaction([
    db.antiCheatSession.createMany({
      data: ids.map((id) => ({ id, projectId, matchId, game: 'cs2' as const, startedAt, evaluatedUntil })),
    }),
    db.antiCheatSessionClient.createMany({ data: ids.map((sessionId) => ({ sessionId, clientId: cheater.id })) }),
  ]);

  const forgotten = { sessionId: { in: ids } };
  const completed = { type: 'anticheat.session_completed', aggregateId: { in: ids } };
  await until(async () => (await db.antiCheatSession.count({ where: { id: { in: ids }, endedAt: null } })) === 0);
  await until(async () => (await db.detection.count({ where: forgotten })) === ids.length);
  const found = await db.detection.findFirstOrThrow({ where: { sessionId: live } });
  expect(await db.detection.count({ where: { ...forgotten, raisedAt: { lt: found.raisedAt } } })).toBeLessThan(20);
  expect(await db.antiCheatSession.count({ where: { id: { in: ids }, endReason: 'expired' } })).toBe(ids.length);
  expect(await db.domainEvent.count({ where: completed })).toBe(ids.length);
});
