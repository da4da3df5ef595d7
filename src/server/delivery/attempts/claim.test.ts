import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encryptSecret } from '@/server/crypto';
import { db, pool } from '@/server/db';
import { claimDue, onConnection } from '@/server/delivery/attempts/claim';
import { completeAttempts } from '@/server/delivery/attempts/complete';
import { type ClaimRow, prepareAttempts } from '@/server/delivery/attempts/prepare';
import { drainQueue } from '@/server/delivery/drain-queue';
import { webhookAgent } from '@/server/delivery/outbound/policy';
import { post } from '@/server/delivery/outbound/post';
import { createSigningSecret } from '@/server/delivery/secrets';
import { deliveriesOf, makeAttempts, makeManyAttempts } from '@/test/deliveries';
import { makeQueue } from '@/test/queue';
import { countRowsRead, watchStatements } from '@/test/statements';

const past = () => new Date(Date.now() - 1000);
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

describe('a claim', () => {
  it('that expired is fenced: the late result changes neither delivery nor breaker', async () => {
    const { subscription, row } = await makeQueue({ circuitBreakerThreshold: 1 }, 1);
    const [late] = await claimDue(subscription.id, 10);
    if (!late) throw new Error('Nothing was claimed');
    await db.webhookDelivery.update({
      where: { id: late.deliveryId },
      data: { claimedUntil: past(), nextAttemptAt: past() },
    });
    const [next] = await claimDue(subscription.id, 10);
    if (!next) throw new Error('Nothing was claimed again');
    const result = await post(webhookAgent(), next);
    await completeAttempts([{ attempt: next, result }]);
    const bad = { ...result, succeeded: false, status: 410, errorClass: 'http_4xx' as const };
    await completeAttempts([{ attempt: late, result: bad }]);
    expect(await row()).toMatchObject({ status: 'active', breakerState: 'closed', consecutiveFailures: 0 });
    const [delivery] = await deliveriesOf(subscription.id);
    expect(delivery).toMatchObject({ status: 'delivered', attemptCount: 2 });
    expect(delivery?.attempts.map((attempt) => attempt.outcome)).toEqual(['unknown', 'succeeded']);
  });

  it('reads few of the attempts of a delivery, however often it was replayed', async () => {
    const { subscription } = await makeQueue({}, 1);
    const [delivery] = await deliveriesOf(subscription.id);
    if (!delivery) throw new Error('No delivery');
    await makeAttempts(
      delivery.id,
      Array.from({ length: 2_000 }, () => ({ outcome: 'failed' as const })),
    );
    await db.webhookDelivery.update({ where: { id: delivery.id }, data: { attemptCount: 2_000 } });
    const read = await onConnection(pool, async (client) => {
      await client.query('BEGIN; SET LOCAL enable_seqscan = off');
      await client.query('UPDATE webhook_delivery SET "attemptCount" = 2001 WHERE id = $1', [delivery.id]);
      const { rows } = await client.query<ClaimRow>(
        `SELECT d.*, s.*, e.*, d.id, d."attemptCount", d."replayedAt", now() AS "claimedBefore", now() AS "sentAt", e.id AS "eventId"
         FROM webhook_delivery d JOIN webhook_subscription s ON s.id = d."subscriptionId" JOIN domain_event e ON e.id = d."eventId"
         WHERE d.id = $1`,
        [delivery.id],
      );
      const claim = { subscriptionId: subscription.id, claimId: 'claim', probe: false };
      expect(await prepareAttempts(client, claim, rows)).toHaveLength(1);
      const counted = await client.query<{ read: number }>(
        `SELECT (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS read
         FROM pg_stat_xact_user_tables WHERE relname = 'webhook_attempt'`,
      );
      await client.query('ROLLBACK');
      return counted.rows[0]?.read;
    });
    expect(read).toBeLessThan(500);
  });

  it('reads the attempts of its own deliveries alone, however many it claims', async () => {
    const { subscription } = await makeQueue({}, 200);
    const ids = (await deliveriesOf(subscription.id)).map(({ id }) => id);
    await makeManyAttempts(ids, 20);
    const { subscription: other } = await makeQueue({}, 20);
    const others = (await deliveriesOf(other.id)).map(({ id }) => id);
    await makeManyAttempts(others, 2_000);
    const sent = await watchStatements(() => claimDue(subscription.id, 200));
    const previous = sent.filter(({ text }) => text.includes('FILTER (WHERE a.'));
    expect(previous).toHaveLength(1);
    const read = await countRowsRead('webhook_attempt', { text: previous[0]?.text ?? '', values: [ids] });
    expect(read).toBeLessThan(20_000);
  });

  it('has every attempt recorded that was lost before it', async () => {
    const { subscription, attempts } = await makeQueue({}, 1);
    // Two processes claimed it, and died before they had stored anything else.
    await db.webhookDelivery.updateMany({ where: { subscriptionId: subscription.id }, data: { attemptCount: 2 } });
    await drainQueue(subscription.id);
    expect((await attempts()).map(({ number, outcome }) => [number, outcome]).sort()).toEqual([
      [1, 'unknown'],
      [2, 'unknown'],
      [3, 'succeeded'],
    ]);
  });

  it('is released without a trace when something holds the queue', async () => {
    const { subscription, set, counts, target } = await makeQueue({ timeoutMs: 30_000 }, 60, (_request, response) => {
      setTimeout(() => response.writeHead(503, { 'retry-after': '600' }).end(), 30);
    });
    await drainQueue(subscription.id);
    const rows = await deliveriesOf(subscription.id);
    expect(rows.filter((row) => row.attemptCount > 0)).toHaveLength(target.received.length);
    expect(rows.flatMap((row) => row.attempts)).toHaveLength(target.received.length);
    expect(rows.every((row) => row.claimId === null)).toBe(true);
    await set({ holdUntil: null });
    expect(await counts()).toEqual({ pending: 60 });
  });
});

describe('what is sent and what is stored', () => {
  it.each([
    ['bearer_token', { token: 'sesame' }, 'authorization', 'Bearer sesame', 'Bearer [redacted]'],
    [
      'basic_auth',
      { username: 'ada', password: 'sesame' },
      'authorization',
      'Basic YWRhOnNlc2FtZQ==',
      'Basic [redacted]',
    ],
    ['custom_header', { headerName: 'X-Api-Key', headerValue: 'sesame' }, 'x-api-key', 'sesame', '[redacted]'],
  ] as const)(
    '%s is sent in addition to both signatures of a rotation, and is not stored',
    async (authMode, secret, name, sent, kept) => {
      const previous = createSigningSecret();
      const { subscription, target, attempts } = await makeQueue(
        {
          authMode,
          authSecretEncrypted: encryptSecret(JSON.stringify(secret)),
          previousSecretEncrypted: encryptSecret(previous),
          previousSecretUntil: new Date(Date.now() + 60_000),
        },
        1,
        // A receiver that returns what it was sent.
        (request, response) => {
          const echo = JSON.stringify(request.headers);
          response.writeHead(302, { location: `http://127.0.0.1/?${encodeURI(echo)}`, 'x-echo': echo }).end(echo);
        },
      );
      await drainQueue(subscription.id);
      const [request] = target.received;
      expect(request?.headers[name]).toBe(sent);
      expect(request?.headers['x-webhook-signature']).toBe(hmac(subscription.signingSecret, request?.body ?? ''));
      expect(String(request?.headers['webhook-signature']).split(' ')).toHaveLength(2);
      const [attempt] = await attempts();
      expect(attempt?.requestHeaders).toMatchObject({ [name]: kept });
      expect(attempt?.responseBody).toContain(`"${name}":"${kept}"`);
      expect(JSON.stringify(attempt)).not.toContain('sesame');
      expect(JSON.stringify(attempt)).not.toContain('YWRhOnNlc2FtZQ');
    },
  );

  it('after the overlap of a rotation, only the current secret signs', async () => {
    const { subscription, target } = await makeQueue(
      { previousSecretEncrypted: encryptSecret(createSigningSecret()), previousSecretUntil: past() },
      1,
    );
    await drainQueue(subscription.id);
    expect(String(target.received[0]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it('a retry sends the stored bytes, even if the event changed; only signature and attempt fields differ', async () => {
    let status = 500;
    const { subscription, target, eventIds, attempts } = await makeQueue({}, 1, (_request, response) => {
      response.writeHead(status, { 'x-trace': 'abc' }).end('sorry');
    });
    await drainQueue(subscription.id);
    await db.domainEvent.update({
      where: { id: eventIds[0] },
      data: { payload: { changed: true }, metadata: {}, version: 7 },
    });
    await db.webhookDelivery.updateMany({
      where: { subscriptionId: subscription.id },
      data: { nextAttemptAt: past() },
    });
    status = 200;
    await drainQueue(subscription.id);
    const bodies = target.received.map((request) => request.body);
    const kept = await attempts();
    expect(kept.map((attempt) => attempt.requestBody)).toEqual(bodies);
    const [first, second] = bodies.map((body) => {
      const { id, webhook, signature, ...rest } = JSON.parse(body);
      return { rest: JSON.stringify(rest), attempt: webhook.attempt };
    });
    expect(second?.rest).toBe(first?.rest);
    expect([first?.attempt, second?.attempt]).toEqual([1, 2]);
    expect(kept).toMatchObject([
      {
        number: 1,
        trigger: 'first',
        outcome: 'failed',
        responseStatus: 500,
        responseBody: 'sorry',
        responseHeaders: expect.objectContaining({ 'x-trace': 'abc' }),
        peerAddress: '127.0.0.1',
        errorClass: 'http_5xx',
        nextAttemptAt: expect.any(Date),
        timings: { dnsMs: null, connectMs: expect.any(Number), tlsMs: null, totalMs: expect.any(Number) },
      },
      { number: 2, trigger: 'retry', outcome: 'succeeded', errorClass: null, nextAttemptAt: null },
    ]);
  });

  it('a thousand deliveries that fail together are not retried together', async () => {
    const settings = { enableCircuitBreaker: false, retryBaseDelayMs: 60_000 };
    const { subscription } = await makeQueue(settings, 1000, (_request, response) => response.writeHead(500).end());
    while ((await drainQueue(subscription.id))?.inMs === 0);
    const rows = await deliveriesOf(subscription.id);
    const delays = rows.map((row) => (row.nextAttemptAt?.getTime() ?? 0) - row.updatedAt.getTime());
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(53_900);
    expect(Math.max(...delays)).toBeLessThanOrEqual(66_100);
    const seconds = new Set(delays.map((delay) => Math.floor(delay / 1000)));
    expect(seconds.size).toBeGreaterThan(9);
  });
});
