import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { db } from '@/server/db';
import { closeBreaker } from '@/server/delivery/breaker';
import { triggerDelivery } from '@/server/delivery/sending/worker';
import { type Background, startBackground } from '@/test/background';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { fillDisk } from '@/test/full-disk';
import { openReceiver } from '@/test/queue';
import { type Respond, until } from '@/test/receiver';

// Waiting for probes and windows takes long on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** Queues that were held continue by themselves, with relay and executor running as in the product. */

let background: Background;

beforeAll(async () => {
  background = await startBackground({ functions: webhookFunctions });
});

afterAll(async () => {
  await background.stop();
});

async function start(settings: Omit<Parameters<typeof makeSubscription>[1], 'url'>, respond?: Respond) {
  const { project } = await makeProject();
  const target = await openReceiver(respond);
  const subscription = await makeSubscription(project.id, { url: target.url, ...settings });
  const where = { subscriptionId: subscription.id };
  return {
    target,
    subscription,
    emit: (count: number) => emitEvents(project.id, count),
    delivered: () => db.webhookDelivery.count({ where: { ...where, status: 'delivered' } }),
    held: () => db.webhookDelivery.count({ where: { ...where, status: 'held' } }),
    row: () => db.webhookSubscription.findUniqueOrThrow({ where: { id: subscription.id } }),
  };
}

/** Responds with 500 until `state.works`. */
function switchable() {
  const state = { works: false };
  const respond: Respond = (_request, response) => response.writeHead(state.works ? 200 : 500).end();
  return { state, respond };
}

describe('without intervention', () => {
  it('a breaker opens, probes, and releases what it held when the receiver works again', async () => {
    const { state, respond } = switchable();
    const settings = {
      circuitBreakerThreshold: 2,
      circuitBreakerTimeoutMs: 1000,
      retryBaseDelayMs: 1000,
      maxRetries: 10,
    };
    const { emit, delivered, held, row } = await start(settings, respond);
    const eventIds = await emit(30);
    await until(async () => (await held()) === 30 && (await row()).breakerState === 'open');
    await until(async () => (await db.webhookAttempt.count({ where: { trigger: 'probe', outcome: 'failed' } })) > 0);
    state.works = true;
    await until(async () => (await delivered()) === eventIds.length);
    expect(await row()).toMatchObject({ breakerState: 'closed', consecutiveFailures: 0 });
  });

  it('sending continues after a Retry-After', async () => {
    let first = true;
    const { emit, delivered, row } = await start({ retryBaseDelayMs: 1000 }, (_request, response) => {
      if (first) response.writeHead(429, { 'retry-after': '2' });
      first = false;
      response.end();
    });
    await emit(1);
    await until(async () => (await row()).holdUntil !== null);
    await emit(15);
    await until(async () => (await delivered()) === 16);
  });

  it('sending continues as the window of a rate limit moves on, and nothing is lost', async () => {
    const { emit, delivered, target } = await start({ rateLimitConfig: { burst: 5 } });
    await emit(17);
    await until(async () => (await delivered()) === 17);
    expect(target.received).toHaveLength(17);
  });

  it('a breaker that is closed by hand sends at once', async () => {
    const { state, respond } = switchable();
    const { emit, delivered, held, subscription } = await start(
      { circuitBreakerThreshold: 1, retryBaseDelayMs: 1000 },
      respond,
    );
    await emit(12);
    await until(async () => (await held()) === 12);
    state.works = true;
    await db.$transaction((tx) => closeBreaker(tx, subscription.id));
    await triggerDelivery([subscription.id]);
    await until(async () => (await delivered()) === 12);
  });

  it('a result that the database has no room for is stored later, and nothing is sent again', async () => {
    const { emit, delivered, target } = await start({});
    const disk = await fillDisk('INSERT ON webhook_attempt');
    await emit(1);
    await until(async () => (await disk.refusals()) > 5);
    await disk.makeRoom();
    await until(async () => (await delivered()) === 1);
    expect(target.received).toHaveLength(1);
  });
});
