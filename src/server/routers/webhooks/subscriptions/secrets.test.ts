import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encryptSecret } from '@/server/crypto';
import { db } from '@/server/db';
import { type Background, startBackground } from '@/test/background';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { makeWebhook } from '@/test/webhooks';

const url = 'http://127.0.0.1:9/hook';
const server = setupTestServer();
let background: Background;

beforeAll(async () => {
  background = await startBackground();
});
afterAll(async () => {
  await background.stop();
});

describe('rotating the secret', () => {
  it('signs with both secrets during the overlap, and then with the new one', async () => {
    const { project, subscription, target, post, all } = await makeWebhook(server);
    const before = subscription.signingSecret;
    const rotated = await post<{ signingSecret: string; previousSecretUntil: string }>('/rotate-secret');
    const { signingSecret: after, previousSecretUntil } = rotated.body;
    expect(after).not.toBe(before);
    expect(Math.abs(Date.parse(previousSecretUntil) - Date.now() - 86_400_000)).toBeLessThan(60_000);
    await emitEvents(project.id, 1);
    await until(all('delivered', 1));
    const accepts = (secret: string, index: number) => {
      const request = target.received[index];
      if (!request) throw new Error('nothing arrived');
      try {
        new Webhook(secret).verify(request.body, request.headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    };
    expect([accepts(before, 0), accepts(after, 0)]).toEqual([true, true]);
    await db.webhookSubscription.update({
      where: { id: subscription.id },
      data: { previousSecretUntil: new Date(Date.now() - 1) },
    });
    await emitEvents(project.id, 1);
    await until(all('delivered', 2));
    expect([accepts(before, 1), accepts(after, 1)]).toEqual([false, true]);
    const text = JSON.stringify(await db.auditEntry.findMany({ where: { targetId: subscription.id } }));
    expect(text).toContain('webhook.rotate_secret');
    expect(text).not.toContain('whsec_');
  });

  it('accepts an overlap of up to seven days, and requires signing', async () => {
    const { subscription, post } = await makeWebhook(server);
    expect((await post('/rotate-secret', { overlapHours: 0 })).body).toMatchObject({ previousSecretUntil: null });
    const row = await db.webhookSubscription.findUniqueOrThrow({ where: { id: subscription.id } });
    expect(row.previousSecretEncrypted).toBeNull();
    expect((await post('/rotate-secret', { overlapHours: 168 })).status).toBe(200);
    for (const overlapHours of [-1, 168.5, 'long']) {
      expect((await post('/rotate-secret', { overlapHours })).status).toBe(400);
    }
    const unsigned = await makeWebhook(server, { authMode: 'none', signPayload: false, signingSecretEncrypted: null });
    expect((await unsigned.post('/rotate-secret')).reason).toBe('INVALID_STATE');
    expect((await unsigned.post('/reveal-secret')).status).toBe(404);
  });
});

it('secrets are in no response of any other operation, in no audit entry and in no event', async () => {
  const { project, owner } = await makeProject();
  const credential = encryptSecret(JSON.stringify({ username: 'ada', password: 'pw-5d1e77' }));
  const { id, signingSecret } = await makeSubscription(project.id, {
    url,
    authMode: 'basic_auth',
    authLabel: 'ada',
    authSecretEncrypted: credential,
    previousSecretEncrypted: encryptSecret('whsec_previous'),
    previousSecretUntil: new Date(Date.now() + 60_000),
  });
  const one = `/webhooks/subscriptions/${id}`;
  const call = (method: string, path: string, body?: object) =>
    server.call(method, path, { bearer: owner.bearer, body });
  const responses = [
    await call('GET', one),
    await call('GET', '/webhooks/subscriptions'),
    await call('GET', `/projects/${project.id}/developer/webhooks`),
    await call('GET', '/webhooks/dashboard'),
    await call('GET', `${one}/analytics`),
    await call('GET', `${one}/deliveries`),
    await call('PATCH', one, {
      description: 'Scores',
      authentication: { mode: 'basic_auth', password: 'pw-5d1e77' },
    }),
    await call('POST', `${one}/pause`),
    await call('POST', `${one}/resume`),
    await call('POST', `${one}/circuit-breaker/reset`),
    await call('POST', `${one}/retry-failed`),
    await call('POST', `${one}/replay`),
    await call('POST', `${one}/test`),
    await call('PATCH', one, { authentication: { mode: 'basic_auth', password: '' } }),
    await call('PATCH', one, { authentication: { mode: 'bearer_token', token: 'pw-5d1e77 x' } }),
    await call('DELETE', one),
  ];
  expect(responses.map(({ status }) => status)).toEqual([
    ...[200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 202, 202, 202, 400, 400, 200],
  ]);
  const audits = await db.auditEntry.findMany({ where: { projectId: project.id } });
  expect(audits.length).toBeGreaterThan(6);
  const stored = await db.domainEvent.findMany({
    where: { projectId: project.id },
    select: { payload: true, metadata: true },
  });
  const everything = [...responses.map(({ text }) => text), JSON.stringify([audits, stored])];
  const hidden = [
    signingSecret,
    'whsec_',
    'pw-5d1e77',
    credential,
    'Encrypted',
    Buffer.from('ada:pw-5d1e77').toString('base64'),
  ];
  for (const text of everything) for (const secret of hidden) expect(text).not.toContain(secret);
});
