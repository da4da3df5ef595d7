import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { drainQueue } from '@/server/delivery/drain-queue';
import { makeQueue } from '@/test/queue';

describe('a receiver that hangs', () => {
  it('does not delay the others', async () => {
    const stuck = await makeQueue({ timeoutMs: 120_000 }, 40, () => undefined);
    const hanging = drainQueue(stuck.subscription.id);
    const others = await Promise.all(Array.from({ length: 5 }, () => makeQueue({}, 20)));
    await Promise.all(others.map(({ subscription }) => drainQueue(subscription.id)));
    for (const { counts } of others) expect(await counts()).toEqual({ delivered: 20 });
    expect(await Promise.race([hanging.then(() => 'ended'), pause(0, 'hangs')])).toBe('hangs');
    expect(stuck.target.received.length).toBeLessThanOrEqual(10);
    await stuck.target.close();
    await hanging;
  });
});
