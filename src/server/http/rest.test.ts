import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '@/test/server';

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer();
});
afterAll(() => api.stop());

test('an unknown route is 404 with the error body', async () => {
  const answer = await api.get('/no/such/route', { headers: { 'X-Request-Id': 'abc-1' } });
  expect(answer.status).toBe(404);
  expect(answer.headers.get('x-request-id')).toBe('abc-1');
  expect(answer.body).toMatchObject({
    success: false,
    data: null,
    message: expect.any(String),
    error: { code: 'ROUTE_NOT_FOUND', message: expect.any(String), requestId: 'abc-1' },
  });
});

test('the process answers its probes', async () => {
  expect((await api.get('/api/v1/openapi.json')).status).toBe(200);
  for (const path of ['healthz', 'readyz', 'metrics']) {
    expect((await fetch(`${api.url}/${path}`)).status).toBe(200);
  }
});
