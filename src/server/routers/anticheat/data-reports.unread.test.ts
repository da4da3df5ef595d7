import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { setupTestServer } from '@/test/server';
import { injector, setupAntiCheat } from './anticheat.fixture';
import { deleteUnreadReports } from './data-reports';

const server = setupTestServer();

/** Makes everything of a client as old as if it had come `minutes` ago. */
const age = (clientId: string, minutes: number) =>
  db.antiCheatReport.updateMany({
    where: { clientId },
    data: { receivedAt: new Date(Date.now() - minutes * 60_000) },
  });
const count = (clientId: string) => db.antiCheatReport.count({ where: { clientId } });

test('reports of a client that is in no session do not stay', async () => {
  const { enroll } = await setupAntiCheat(server);
  const client = await enroll();
  expect((await client.report(injector(1), injector(2))).body).toEqual({ accepted: 2, lastSequence: 2 });
  await deleteUnreadReports();
  expect(await count(client.id)).toBe(2);
  await age(client.id, 10);
  await deleteUnreadReports();
  expect(await count(client.id)).toBe(0);
});

test('reports that a session reads or has read stay', async () => {
  const { enroll, start, apiKey } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId } = await start();
  await client.report(injector(1));
  await age(client.id, 10);
  await deleteUnreadReports();
  expect(await count(client.id)).toBe(1);
  await server.post(`/anti-cheat/sessions/${sessionId}/end`, { apiKey });
  await deleteUnreadReports();
  expect(await count(client.id)).toBe(1);
});
