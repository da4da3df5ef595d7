import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { db, pool } from '@/server/db';
import { claimDue } from '@/server/delivery/attempts/claim';
import { drainQueue } from '@/server/delivery/drain-queue';
import { catchUp, claimable, QueueSender } from '@/server/delivery/sending/send-queue';
import { type Slot, slots } from '@/server/delivery/sending/slots';
import { makeQueue } from '@/test/queue';

type Queue = Awaited<ReturnType<typeof makeQueue>>;

/** A sender of ten more deliveries of a queue, whose claims wait until they are let go. */
async function heldUp({ subscription, more }: Queue) {
  await more(10);
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const { id, projectId } = subscription;
  const owner = { id, projectId, turn: projectId, rateLimited: false, threshold: null, consecutiveFailures: 0 };
  const sender = new QueueSender(owner, (...claim) => gate.then(() => claimDue(...claim)), true).start();
  const finish = async () => {
    letGo();
    await sender.done;
  };
  return { sender, letGo, finish };
}

/** The same of a receiver that is known to answer at once: on a busy machine, it takes some deliveries until it does. */
async function ofPromptReceiver() {
  const queue = await makeQueue({}, 30);
  for (let tries = 0; tries < 30; tries += 1) {
    await drainQueue(queue.subscription.id);
    const held = await heldUp(queue);
    if (held.sender.catchesUp) return { ...held, queue };
    await held.finish();
    await queue.more(30);
  }
  throw new Error('The receiver never answered at once');
}

describe('Events wait for the claims of what came before them', () => {
  it('where their receiver answers at once', async () => {
    const { sender, letGo, finish, queue } = await ofPromptReceiver();
    const order: string[] = [];
    const waiting = catchUp([undefined, null, sender]).then(() => order.push('went on'));
    setImmediate(() => {
      order.push('claimed');
      letGo();
    });
    await waiting;
    expect(order).toEqual(['claimed', 'went on']);
    await finish();
    expect(sender.catchesUp).toBe(false);
    expect(Object.keys(await queue.counts())).toEqual(['delivered']);
  });

  it('no longer than a moment', async () => {
    const { sender, finish } = await ofPromptReceiver();
    await catchUp([sender]);
    expect(sender.catchesUp).toBe(true);
    await finish();
  });

  it('but not where it is not known', async () => {
    const { sender, finish } = await heldUp(await makeQueue({}, 0));
    expect(sender.catchesUp).toBe(false);
    await finish();
  });

  it('nor where it takes its time', async () => {
    const queue = await makeQueue({}, 30, (_, response) => setTimeout(() => response.end(), 60));
    await drainQueue(queue.subscription.id);
    const { sender, finish } = await heldUp(queue);
    expect(sender.catchesUp).toBe(false);
    await finish();
  });

  it('nor where it is sent nothing more', async () => {
    const { sender, finish } = await ofPromptReceiver();
    sender.stop();
    expect(sender.catchesUp).toBe(false);
    await finish();
  });
});

it('A project whose receivers hold up thousands of claims leaves others theirs', async () => {
  const { subscription: other } = await makeQueue({}, 0);
  const senders: QueueSender[] = [];
  for (let count = 0; count < 5; count += 1) {
    const { subscription } = await makeQueue({}, 900, () => undefined);
    const { id } = subscription;
    const owner = { id, projectId: 'busy', turn: 'busy', rateLimited: false, threshold: null, consecutiveFailures: 0 };
    senders.push(new QueueSender(owner, claimDue, false).start(await claimDue(id, 900)));
  }
  const room = claimable(other.id);
  for (const sender of senders) sender.stop();
  expect(room).toBeGreaterThanOrEqual(20);
});

describe('Projects of a block whose receivers hang', () => {
  /** Has as many requests under way as its projects may have for new receivers. @returns what ends them */
  function hang(turn: string): () => void {
    const [held, who]: [Slot[], object] = [[], {}];
    for (;;) {
      const slot = slots.take('unknown', { projectId: `${turn} ${held.length}`, turn }, who, () => undefined);
      if (!slot) break;
      slots.move(slot, 'slow');
      held.push(slot);
    }
    slots.leave(who);
    return () => {
      for (const slot of held) slots.release(slot);
    };
  }

  const send = ({ subscription: { id, projectId } }: Queue, turn = projectId) => {
    const owner = { id, projectId, turn, rateLimited: false, threshold: null, consecutiveFailures: 0 };
    return new QueueSender(owner, claimDue, true).start();
  };

  it('claim and send nothing to new ones until some of those have ended, and others send meanwhile', async () => {
    const [waiting, other] = [await makeQueue({}, 5), await makeQueue({}, 5)];
    const end = hang('block');
    const sender = send(waiting, 'block');
    await send(other).done;
    const untouched = { where: { subscriptionId: waiting.subscription.id, attemptCount: 0, claimId: null } };
    expect(await db.webhookDelivery.count(untouched)).toBe(5);
    expect(await other.counts()).toEqual({ delivered: 5 });
    end();
    await sender.done;
    expect(await waiting.counts()).toEqual({ delivered: 5 });
  });

  it('send to those that have responded promptly', async () => {
    const queue = await makeQueue({}, 5);
    await drainQueue(queue.subscription.id);
    await queue.more(5);
    const end = hang('another block');
    await send(queue, 'another block').done;
    end();
    expect(await queue.counts()).toEqual({ delivered: 10 });
  });
});

it('a receiver whose responses take a process long gets two requests at a time, and another ten', async () => {
  const most = { odd: 0, ordinary: 0 };
  const odd = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`h${index}`, '1']));
  for (const kind of ['odd', 'ordinary'] as const) {
    let open = 0;
    const queue = await makeQueue({}, 30, (_, response) => {
      open += 1;
      most[kind] = Math.max(most[kind], open);
      // Late enough for as many requests as it gets to be open together.
      setTimeout(() => {
        open -= 1;
        response.writeHead(200, kind === 'odd' ? odd : {}).end();
      }, 50);
    });
    await drainQueue(queue.subscription.id);
    expect(await queue.counts()).toEqual({ delivered: 30 });
  }
  expect(most).toEqual({ odd: 2, ordinary: 10 });
});

/** Counts the changes of rows of deliveries from here on, whoever makes them. */
async function countChanges(): Promise<() => Promise<number>> {
  await pool.query(`
    DROP SEQUENCE IF EXISTS changed_rows CASCADE;
    CREATE SEQUENCE changed_rows;
    CREATE OR REPLACE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM nextval('changed_rows'); RETURN NULL; END $$;
    CREATE OR REPLACE TRIGGER count_changes AFTER UPDATE ON webhook_delivery FOR EACH ROW EXECUTE FUNCTION count_change()`);
  return async () => {
    const { rows } = await pool.query<{ count: number }>(
      'SELECT (last_value - 1 + is_called::int)::int AS count FROM changed_rows',
    );
    return rows[0]?.count ?? Number.NaN;
  };
}

describe('Few deliveries are written for each attempt', () => {
  const tooBusy = (response: ServerResponse) =>
    response.writeHead(503, { 'retry-after': new Date(Date.now() + 1_000).toUTCString() }).end();
  const failing = (response: ServerResponse) => response.writeHead(500).end();
  const working = (response: ServerResponse) => response.end();
  const breaker = { circuitBreakerThreshold: 1, circuitBreakerTimeoutMs: 100 };

  /** Rows written for each attempt. @param onceHeld counts from when they were all held, and released, for the first time */
  async function changesOf(
    settings: Parameters<typeof makeQueue>[0],
    responses: ((response: ServerResponse) => unknown)[],
    { count, onceHeld }: { count: number; onceHeld: boolean },
  ) {
    let answered = 0;
    const { subscription, target, set, counts } = await makeQueue(
      { maxRetries: 0, ...settings },
      count,
      (_request, response) => {
        responses[answered % responses.length]?.(response);
        answered += 1;
      },
    );
    const drainUntil = async (isReached: () => boolean | Promise<boolean>) => {
      while (!(await isReached())) {
        // Ends what it waits for.
        await db.webhookSubscription.updateMany({
          where: { id: subscription.id, NOT: { breakerRetryAt: null } },
          data: { breakerRetryAt: new Date(0) },
        });
        await set({ holdUntil: null });
        await drainQueue(subscription.id);
      }
    };
    const held = async () => (await counts())['held breaker'] ?? 0;
    // Nothing is known of a receiver before its claims are released for the first time.
    await drainQueue(subscription.id);
    if (onceHeld) {
      await drainUntil(async () => (await held()) > count / 2);
      await drainUntil(async () => (await held()) === 0);
    }
    const changes = await countChanges();
    const counted = target.received.length;
    await drainUntil(() => target.received.length >= counted + 100);
    return (await changes()) / (target.received.length - counted);
  }

  it.each([
    ['opens its breaker and closes it again', breaker, [failing, working]],
    ['asks to wait a second now and then', { enableCircuitBreaker: false }, [...Array(9).fill(working), tooBusy]],
    ['does both in turn', breaker, [failing, working, tooBusy]],
  ])('to a receiver that %s', async (_does, settings, responses) => {
    expect(await changesOf(settings, responses, { count: 600, onceHeld: false })).toBeLessThan(6);
  });

  it('to one whose breaker stays open for seconds, once it has held them all', async () => {
    const seconds = { ...breaker, circuitBreakerTimeoutMs: 3_000 };
    expect(await changesOf(seconds, [failing, working, tooBusy], { count: 2_000, onceHeld: true })).toBeLessThan(6);
  });
});
