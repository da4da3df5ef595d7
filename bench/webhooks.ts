import { fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { env } from '@/env';
import { inngest } from '@/inngest/client';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { startLocalExecutor } from '@/inngest/local/executor';
import { db } from '@/server/db';
import { stopLive } from '@/server/live';
import { logger } from '@/server/logger';
import { startRelay } from '@/server/relay';
import { deliveryPayload } from '@/server/routers/webhooks/rules';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';

const events = 2_000;
const parallel = 10;
const rounds = 3;

/** The floor: signed POSTs and nothing else, ten at a time. @returns requests a second */
async function bareLoop(url: string): Promise<number> {
  const agent = new Agent();
  const target = new URL(url);
  const example = { participantId: 'prt_1', tournamentId: 'trn_1', name: 'Entrant', status: 'registered', seed: null };
  let sent = 0;
  async function worker(): Promise<void> {
    while (sent < events) {
      sent += 1;
      const event = {
        id: `evt_${sent}`,
        type: 'participant.registered',
        version: 1,
        aggregateType: 'participant',
        aggregateId: 'prt_1',
        payload: example,
        metadata: { actor: { type: 'system', id: null }, requestId: null },
        occurredAt: new Date(),
      };
      const body = JSON.stringify(
        deliveryPayload({ attemptId: `wha_${sent}`, subscriptionId: 'whs_1', attempt: 1, event }),
      );
      const signature = createHmac('sha256', 'secret').update(body).digest('hex');
      const answer = await agent.request({
        origin: target.origin,
        path: target.pathname,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-webhook-signature': signature },
        body,
      });
      await answer.body.text();
    }
  }
  const started = performance.now();
  await Promise.all(Array.from({ length: parallel }, worker));
  const seconds = (performance.now() - started) / 1000;
  await agent.close();
  return events / seconds;
}

/** From the transaction that writes the events to the last one at the receiver. @returns events a second */
async function endToEnd(projectId: string, received: () => Promise<number>): Promise<number> {
  const before = await received();
  const started = performance.now();
  await emitEvents(projectId, events);
  while ((await received()) < before + events) await new Promise((resolve) => setTimeout(resolve, 5));
  return events / ((performance.now() - started) / 1000);
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Events to one receiver, end to end, against a bare loop of signed POSTs; the median of three runs of each, in turns. */
export async function run() {
  const child = fork(fileURLToPath(new URL('./receiver.mjs', import.meta.url)), { execArgv: [] });
  const [port] = await once(child, 'message');
  const url = `http://127.0.0.1:${port}/hook`;
  const received = async () => Number(await (await fetch(url)).text());
  const { project } = await makeProject();
  await makeSubscription(project.id, { url });
  const executor = await startLocalExecutor({
    connectionString: env.DATABASE_URL ?? '',
    client: inngest,
    functions: webhookFunctions,
    logger,
  });
  const relay = startRelay({ logger });
  const floors: number[] = [];
  const ours: number[] = [];
  try {
    await bareLoop(url);
    for (let round = 0; round < rounds; round += 1) {
      floors.push(await bareLoop(url));
      ours.push(await endToEnd(project.id, received));
      await executor.idle();
    }
    const open = await db.webhookDelivery.count({ where: { projectId: project.id, status: { not: 'delivered' } } });
    if (open > 0) throw new Error(`${open} deliveries are not marked as delivered`);
  } finally {
    await relay.stop();
    await executor.stop();
    await stopLive();
    child.disconnect();
  }
  const ratio = median(ours) / median(floors);
  return { name: 'webhooks', ratio, ours: median(ours), floor: median(floors), unit: 'events/s' };
}
