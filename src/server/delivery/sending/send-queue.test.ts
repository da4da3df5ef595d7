import { describe, expect, it } from 'vitest';
import { claimDue } from '@/server/delivery/attempts/claim';
import { drainQueue } from '@/server/delivery/drain-queue';
import { catchUp, claimable, QueueSender } from '@/server/delivery/sending/send-queue';
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
  const owner = { id, projectId, rateLimited: false, threshold: null, consecutiveFailures: 0 };
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
    const owner = { id, projectId: 'busy', rateLimited: false, threshold: null, consecutiveFailures: 0 };
    senders.push(new QueueSender(owner, claimDue, false).start(await claimDue(id, 900)));
  }
  const room = claimable(other.id);
  for (const sender of senders) sender.stop();
  expect(room).toBeGreaterThanOrEqual(20);
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
