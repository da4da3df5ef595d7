import { describe, expect, it } from 'vitest';
import { findNewNotices } from '@/server/delivery/auto-disable';
import { drainQueue } from '@/server/delivery/drain-queue';
import { makeQueue } from '@/test/queue';
import type { Respond } from '@/test/receiver';

/** A customer's server that responds with the status that is set. */
function switchable() {
  const server = { status: 500, respond: ((_request, response) => response.writeHead(server.status).end()) as Respond };
  return server;
}

const ago = (days: number) => new Date(Date.now() - days * 86_400_000);

describe('a receiver that only fails', () => {
  const noticesOf = async (id: string) => (await findNewNotices(500)).filter((notice) => notice.subscriptionId === id);

  it('has its owners warned after three days and is disabled after five', async () => {
    const { subscription, row, set, more, counts } = await makeQueue({ maxRetries: 0 }, 1, switchable().respond);
    await drainQueue(subscription.id);
    const { failingSince } = await row();
    expect(failingSince?.getTime()).toBeGreaterThan(ago(0.01).getTime());
    expect(await noticesOf(subscription.id)).toEqual([]);

    await set({ failingSince: ago(3.1) });
    await more(1);
    await drainQueue(subscription.id);
    expect(await row()).toMatchObject({ status: 'active', failureWarnedAt: expect.any(Date) });
    expect(await noticesOf(subscription.id)).toMatchObject([{ kind: 'warned' }]);

    await set({ failingSince: ago(5.1), failureWarnedAt: ago(2) });
    await more(3);
    await drainQueue(subscription.id);
    expect(await row()).toMatchObject({
      status: 'disabled',
      disabledReason: 'only_failures',
      disabledAt: expect.any(Date),
    });
    expect(await noticesOf(subscription.id)).toMatchObject([{ kind: 'disabled', reason: 'only_failures' }]);
    await more(2);
    await drainQueue(subscription.id);
    expect((await counts())['held disabled']).toBe(2);
  });

  it('is not disabled within a day after the warning', async () => {
    const { subscription, row } = await makeQueue({ maxRetries: 0, failingSince: ago(9) }, 1, switchable().respond);
    await drainQueue(subscription.id);
    expect(await row()).toMatchObject({ status: 'active', failureWarnedAt: expect.any(Date) });
  });

  it('starts anew after one success', async () => {
    const server = switchable();
    server.status = 204;
    const { subscription, row } = await makeQueue({ failingSince: ago(6), failureWarnedAt: ago(3) }, 1, server.respond);
    await drainQueue(subscription.id);
    expect(await row()).toMatchObject({ status: 'active', failingSince: null, failureWarnedAt: null });
  });

  it('is disabled at once by a 410 Gone, and its other deliveries are held', async () => {
    const server = switchable();
    server.status = 410;
    const { subscription, target, row, counts, more } = await makeQueue({}, 60, server.respond);
    expect(await drainQueue(subscription.id)).toBeNull();
    expect(await row()).toMatchObject({ status: 'disabled', disabledReason: 'gone_410', version: 2 });
    const sent = target.received.length;
    expect(sent).toBeLessThanOrEqual(20);
    expect(await counts()).toEqual({ failed: sent, 'held disabled': 60 - sent });
    await more(1);
    await drainQueue(subscription.id);
    expect(target.received).toHaveLength(sent);
    expect(await noticesOf(subscription.id)).toMatchObject([{ kind: 'disabled', reason: 'gone_410' }]);
  });
});
