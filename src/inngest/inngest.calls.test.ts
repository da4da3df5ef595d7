import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeStage, type Stage } from '@/inngest/scene.fixture';
import { db } from '@/server/db';
import { emitEvents, makeProject, makeSubscription, makeTournament, makeUser } from '@/test/factories';
import { openReceiver } from '@/test/queue';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

// What events cost an Inngest server: calls of functions, and events that it takes.
setupTestServer();
const calls = new Map<string, number>();
const taken: string[] = [];
let stage: Stage;

beforeAll(async () => {
  const onCall = (id: string) => void calls.set(id, (calls.get(id) ?? 0) + 1);
  stage = await makeStage({ onCall, onEvents: (names) => taken.push(...names), scheduleEveryMs: undefined });
  await stage.start();
  await until(() => stage.inngest.calls() > 0);
});
afterAll(() => stage.stop());

/**
 * What the server did meanwhile, except for the steps of the drain that end after 30 seconds each, and for the schedule of a
 * tournament that an earlier test left.
 */
async function counted(work: () => Promise<void>) {
  calls.clear();
  taken.length = 0;
  const begin = performance.now();
  await work();
  const steps = Math.ceil((performance.now() - begin) / 30_000) + 1;
  expect(calls.get('laurel-webhook-drain') ?? 0).toBeLessThanOrEqual(steps);
  calls.delete('laurel-webhook-drain');
  return { calls: Object.fromEntries(calls), events: taken.filter((name) => name !== 'tournament/scheduled') };
}

it.each([1, 500])('%i events to a webhook: no call of a function, and no event', async (count) => {
  const { project } = await makeProject();
  const target = await openReceiver();
  await makeSubscription(project.id, { url: target.url });
  const cost = await counted(async () => {
    await emitEvents(project.id, count);
    await until(() => target.received.length >= count);
  });
  expect(cost).toEqual({ calls: {}, events: [] });
});

it('an event that a player is emailed about: no call of a function, and no event', async () => {
  const { project } = await makeProject();
  const tournament = await makeTournament(project.id);
  const player = await makeUser();
  const cost = await counted(async () => {
    await stage.server.post(`/tournaments/${tournament.id}/participants/register`, player);
    const where = { recipient: player.email, sentAt: { not: null } };
    await until(async () => (await db.outgoingMail.count({ where })) === 1);
  });
  expect(cost).toEqual({ calls: {}, events: [] });
});

it('a delivery that fails: one event and one sleep for each retry', async () => {
  const { project } = await makeProject();
  let failures = 1;
  const target = await openReceiver((_request, response) => response.writeHead(failures-- > 0 ? 500 : 200).end());
  const settings = { retryBaseDelayMs: 2_000, retryBackoffMultiplier: 1 };
  await makeSubscription(project.id, { url: target.url, ...settings });
  const cost = await counted(async () => {
    await emitEvents(project.id, 1);
    await until(() => target.received.length === 2);
  });
  // Scheduled twice at the same time, which counts once.
  expect(new Set(cost.events)).toEqual(new Set(['webhook/deliveries.due']));
  expect(cost.calls['laurel-webhook-deliver']).toBeLessThanOrEqual(3);
});
