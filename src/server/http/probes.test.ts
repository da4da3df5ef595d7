import { expect, test } from 'vitest';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

test('the process answers its probes', async () => {
  const ready = await fetch(`${api.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ready', checks: { database: 'ok', store: 'ok' } },
  ]);
  expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
  await api.get('/me');
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  expect(metrics).toMatch(/laurel_http_request_duration_seconds_count\{method="GET",route="\/me",status="401"\} \d+/);
  expect(metrics).toContain('laurel_database_connections{state="idle"}');
});
