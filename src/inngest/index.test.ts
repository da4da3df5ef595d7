import { createHmac } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { startReceiver, until } from '@/test/receiver';

const key = 'ab12cd34';
const registered: { url: string; functions: { steps: { step: { runtime: { url: string } } } }[] }[] = [];
const inngest = await startReceiver(({ url, body }, response) => {
  if (url === '/fn/register') registered.push(JSON.parse(body));
  response.setHeader('Content-Type', 'application/json').end('{"status":200,"modified":true}');
});
const origin = 'https://play.example.org';
const settings = { INNGEST_BASE_URL: new URL(inngest.url).origin, INNGEST_EVENT_KEY: 'e', INNGEST_SIGNING_KEY: key };
Object.assign(process.env, settings, { PUBLIC_URL: origin });
// Loaded after the environment is set.
const { inngestHandler } = await import('@/inngest/index');
const { startHandOver } = await import('@/inngest/registration');
const { startServer } = await import('@/server/http/server');
const { stopLive } = await import('@/server/events/live');
const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false, inngest: inngestHandler });

afterAll(async () => {
  await server.stop();
  await stopLive();
  await inngest.close();
});

function sign(body: string): string {
  const now = Math.floor(Date.now() / 1_000).toString();
  return `t=${now}&s=${createHmac('sha256', key)
    .update(body + now)
    .digest('hex')}`;
}

const call = (method: string, headers: Record<string, string>, query = '') =>
  fetch(`${server.url}/api/inngest${query}`, { method, headers, body: method === 'POST' ? '{}' : undefined });

test.each([
  ['PUT', {}],
  ['PUT', { 'x-forwarded-host': 'evil.test' }],
  ['PUT', { 'x-inngest-signature': `t=${Math.floor(Date.now() / 1_000)}&s=00` }],
  ['PUT', { 'x-inngest-sync-kind': 'in_band' }],
  ['POST', {}],
  ['GET', {}],
])('%s with %j is not signed, and refused', async (method, headers) => {
  const answer = await call(method, headers, '?fnId=laurel-webhook-drain&stepId=step');
  expect(answer.status).toBe(401);
  expect(registered).toEqual([]);
});

test('registers the configured address, whatever a request says, and the functions at each start', async () => {
  await call('PUT', { 'x-inngest-signature': sign(''), 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http' });
  const handOver = startHandOver(server.url);
  await handOver.ready;
  await handOver.stop();
  await until(() => registered.length === 2);
  for (const { url, functions } of registered) {
    expect(new URL(url).origin).toBe(origin);
    expect(functions.length).toBeGreaterThan(15);
    for (const { steps } of functions) expect(new URL(steps.step.runtime.url).origin).toBe(origin);
  }
});
