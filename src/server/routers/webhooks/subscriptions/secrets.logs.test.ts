import fs from 'node:fs';
import { afterAll, expect, it } from 'vitest';

process.env.LOG_LEVEL = 'trace';
// The logger writes to standard output by itself; this collects its output instead.
const write = fs.writeSync;
let log = '';
fs.writeSync = ((fd: number, data: unknown, ...rest: never[]) => {
  if (fd !== 1) return write(fd, data as never, ...rest);
  log += String(data);
  return Buffer.byteLength(String(data));
}) as typeof fs.writeSync;
afterAll(() => {
  fs.writeSync = write;
});

it('no log contains a secret of a webhook, for accepted, rejected and failed requests', async () => {
  const { startTestServer } = await import('@/test/server');
  const { makeProject, emitEvents } = await import('@/test/factories');
  const { startReceiver, until } = await import('@/test/receiver');
  const { startBackground } = await import('@/test/background');
  const { logger } = await import('@/server/logger');
  const { db } = await import('@/server/db');
  const server = await startTestServer();
  const background = await startBackground();
  const target = await startReceiver((_request, response) => response.writeHead(500).end('no'));

  const { project, owner } = await makeProject();
  const path = `/projects/${project.id}/developer/webhooks`;
  const options = { bearer: owner.bearer };
  const body = {
    url: target.url,
    events: ['*'],
    maxRetries: 0,
    signPayload: true,
    authentication: { mode: 'basic_auth', username: 'ada', password: 'pw-77c0de' },
  };
  const made = await server.post<{ id: string; signingSecret: string }>(path, { ...options, body });
  const one = `/webhooks/subscriptions/${made.body.id}`;
  const rotated = await server.post<{ signingSecret: string }>(`${one}/rotate-secret`, options);
  await server.patch(one, { ...options, body: { authentication: { mode: 'bearer_token', token: 'pw-77c0de' } } });
  await server.patch(one, { ...options, body: { authentication: { mode: 'bearer_token', token: 'pw-77c0de \n' } } });
  await server.post(path, { ...options, body: { ...body, url: 'http://10.0.0.1/?token=pw-77c0de' } });
  await server.trpc(owner.bearer).webhooks.subscriptions.revealSecret.mutate({ id: made.body.id });
  await emitEvents(project.id, 1);
  await until(async () => (await db.webhookDelivery.count({ where: { status: 'failed' } })) === 1);
  await background.idle();
  await target.close();
  await background.stop();
  await server.stop();
  logger.flush();
  await until(() => log.includes('rotate-secret'));

  expect(target.received[0]?.headers.authorization).toBe('Bearer pw-77c0de');
  const secrets = ['pw-77c0de', made.body.signingSecret, rotated.body.signingSecret, 'whsec_', owner.bearer.slice(7)];
  for (const secret of secrets) expect(log).not.toContain(secret);
}, 120_000);
