import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { db } from '@/server/db';
import { closeBreaker } from '@/server/delivery/breaker';
import { triggerDelivery } from '@/server/delivery/queue/queue';
import { type Background, startBackground } from '@/test/background';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { openReceiver } from '@/test/queue';
import { type Respond, until } from '@/test/receiver';

// Processes that start and leases that end take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** What stopped goes on by itself, with relay and executor running as in the product; nobody looks at a queue by hand. */

let background: Background;

beforeAll(async () => {
  background = await startBackground({ functions: webhookFunctions });
});

afterAll(async () => {
  await background.stop();
});

async function start(settings: Omit<Parameters<typeof makeSubscription>[1], 'url'>, answer?: Respond) {
  const { project } = await makeProject();
  const target = await openReceiver(answer);
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

/** Fails until `mood.well`. */
function moody() {
  const mood = { well: false };
  const answer: Respond = (_request, response) => response.writeHead(mood.well ? 200 : 500).end();
  return { mood, answer };
}

describe('without anybody looking', () => {
  it('a breaker opens, probes, and lets go what it held once the receiver is back', async () => {
    const { mood, answer } = moody();
    const settings = {
      circuitBreakerThreshold: 2,
      circuitBreakerTimeoutMs: 1000,
      retryBaseDelayMs: 1000,
      maxRetries: 10,
    };
    const { emit, delivered, held, row } = await start(settings, answer);
    const eventIds = await emit(30);
    await until(async () => (await held()) === 30 && (await row()).breakerState === 'open');
    await until(async () => (await db.webhookAttempt.count({ where: { trigger: 'probe', outcome: 'failed' } })) > 0);
    mood.well = true;
    await until(async () => (await delivered()) === eventIds.length);
    expect(await row()).toMatchObject({ breakerState: 'closed', consecutiveFailures: 0 });
  });

  it('a Retry-After ends', async () => {
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

  it('a cap gives way as its window moves on, and nothing is lost', async () => {
    const { emit, delivered, target } = await start({ rateLimitConfig: { burst: 5 } });
    await emit(17);
    await until(async () => (await delivered()) === 17);
    expect(target.received).toHaveLength(17);
  });

  it('a breaker that is closed by hand sends at once', async () => {
    const { mood, answer } = moody();
    const { emit, delivered, held, subscription } = await start(
      { circuitBreakerThreshold: 1, retryBaseDelayMs: 1000 },
      answer,
    );
    await emit(12);
    await until(async () => (await held()) === 12);
    mood.well = true;
    await db.$transaction((tx) => closeBreaker(tx, subscription.id));
    await triggerDelivery([subscription.id]);
    await until(async () => (await delivered()) === 12);
  });
});
