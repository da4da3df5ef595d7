import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { registry } from '@/server/metrics';
import { setupTestServer } from '@/test/server';
import { handleTrpc } from './handler';

const api = setupTestServer();

/** What a client that goes before its body is whole has been written when its request is over. */
async function leave(head: string) {
  let arrived = false;
  let written: object | undefined;
  const server = createServer(async (req, res) => {
    arrived = true;
    await handleTrpc(req, res);
    written = { headers: res.getHeaderNames(), writableEnded: res.writableEnded };
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(`POST /api/trpc/auth.tokens.create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${head}`);
  await expect.poll(() => arrived).toBe(true);
  client.destroy();
  await expect.poll(() => written).toBeDefined();
  return written;
}

test('a client that goes before its body is whole has nothing made for it', async () => {
  const unread = { headers: [], writableEnded: false };
  expect(await leave('Content-Length: 60000\r\n\r\naaa')).toEqual(unread);
  expect(await leave('Transfer-Encoding: chunked\r\n\r\n1\r\n \r\n')).toEqual(unread);
  const requests = await registry.getSingleMetricAsString('laurel_http_request_duration_seconds');
  expect(requests).toMatch(/_count\{method="POST",route="\/api\/trpc",status="499"\} 2/);
});

test('a response is whole, whatever the client accepts', async () => {
  for (const name of ['trpc-accept', 'accept']) {
    const headers = { [name]: 'application/jsonl' };
    const answer = await api.call('GET', '/api/trpc/auth.providers?batch=1&input=%7B%7D', { headers });
    expect([name, answer.headers.get('content-type')]).toEqual([name, 'application/json']);
    expect(answer.body).toEqual([{ result: expect.anything() }]);
  }
});
