import { describe, expect, it } from 'vitest';
import { db } from '@/server/db';
import { drainQueue } from '@/server/delivery/drain-queue';
import { registry } from '@/server/metrics';
import { makeQueue } from '@/test/queue';
import type { Respond } from '@/test/receiver';

const status500: Respond = (_request, response) => response.writeHead(500).end();

describe('metrics', () => {
  it('count attempts by outcome and error class, and report what is waiting and for how long', async () => {
    const { subscription, set, more } = await makeQueue({ maxRetries: 0, enableCircuitBreaker: false }, 3, status500);
    await drainQueue(subscription.id);
    await more(4);
    await db.webhookDelivery.updateMany({
      where: { subscriptionId: subscription.id, status: 'pending' },
      data: { nextAttemptAt: new Date(Date.now() - 30_000) },
    });
    let text = await registry.metrics();
    const value = (line: RegExp) => Number(line.exec(text)?.[1]);
    expect(
      value(/laurel_webhook_attempts_total\{outcome="failed",error_class="http_5xx"\} (\d+)/),
    ).toBeGreaterThanOrEqual(3);
    expect(value(/laurel_webhook_attempt_duration_seconds_count\{outcome="failed"\} (\d+)/)).toBeGreaterThanOrEqual(3);
    expect(value(/laurel_webhook_deliveries_waiting\{status="pending"\} (\d+)/)).toBeGreaterThanOrEqual(4);
    expect(value(/laurel_webhook_overdue_seconds (\d+)/)).toBeGreaterThanOrEqual(29);
    await set({ enableCircuitBreaker: true, breakerState: 'open' });
    text = await registry.metrics();
    expect(value(/laurel_webhook_overdue_seconds (\d+)/)).toBe(0);
    await set({ status: 'paused' });
    await drainQueue(subscription.id);
    expect(/laurel_webhook_deliveries_waiting\{status="held"\} (\d+)/.exec(await registry.metrics())?.[1]).not.toBe(
      '0',
    );
  });
});
