import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeAttempts, makeDeliveries, makeManyAttempts } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { countRowsRead, watchStatements } from '@/test/statements';

const server = setupTestServer();

test('of a delivery that was replayed thousands of times, a subscription reads the newest attempts', async () => {
  const { project, owner } = await makeProject();
  const subscription = await makeSubscription(project.id, { url: 'https://127.0.0.1:9/' });
  const [replayed = '', other = ''] = await makeDeliveries(subscription, await emitEvents(project.id, 2), {
    status: 'failed',
  });
  await makeAttempts(other, [{ startedAt: new Date(Date.now() - 3_600_000) }]);
  await makeManyAttempts([replayed], 5_000);
  const newest = { deliveryId_number: { deliveryId: replayed, number: 5_000 } };
  await db.webhookAttempt.update({ where: newest, data: { outcome: 'running' } });
  const ended = { deliveryId_number: { deliveryId: replayed, number: 4_999 } };
  await db.webhookAttempt.update({ where: ended, data: { responseStatus: 502 } });
  const path = `/webhooks/subscriptions/${subscription.id}`;
  const sent = await watchStatements(async () =>
    expect((await server.get(path, { bearer: owner.bearer })).body).toMatchObject({
      lastAttempt: { deliveryId: replayed, outcome: 'failed', errorClass: 'http_5xx', responseStatus: 502 },
    }),
  );
  const texts = sent.map(({ text }) => text).filter((text) => text.includes('webhook_attempt'));
  expect(texts).toHaveLength(2);
  const values = [[subscription.id]];
  for (const text of texts) expect(await countRowsRead('webhook_attempt', { text, values })).toBeLessThan(10);
});
