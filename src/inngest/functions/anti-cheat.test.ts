import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { env } from '@/env';
import { askForVerdicts, evaluateSessions } from '@/inngest/functions/anti-cheat';
import { db } from '@/server/db';
import { injector, setupAntiCheat } from '@/server/routers/anticheat/anticheat.fixture';
import { type Background, quiet, startBackground } from '@/test/background';
import { openReceiver } from '@/test/queue';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();
let background: Background;
beforeAll(async () => {
  background = await startBackground({ functions: [evaluateSessions, askForVerdicts], logger: quiet });
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
