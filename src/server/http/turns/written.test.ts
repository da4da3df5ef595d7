import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { untilWritten } from './written';

/** What becomes of work that answers a request. */
async function answering(answer: (res: ServerResponse) => Promise<void>): Promise<string> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).on('error', () => undefined);
  const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
  return untilWritten(res, () => answer(res)).then(
    () => `over, ${res.headersSent ? 'begun' : 'not begun'}`,
    (error: Error) => error.message,
  );
}

test('work is over when its response begins, though its client never reads the rest', async () => {
  const forever = new Promise<void>(() => undefined);
  expect(
    await answering(async (res) => {
      res.statusCode = 201;
      await Promise.resolve();
      res.write('{');
      await forever;
    }),
  ).toBe('over, begun');
});

test('work that writes nothing is over when it ends, and fails as it does', async () => {
  expect(await answering(async () => undefined)).toBe('over, not begun');
  expect(await answering(() => Promise.reject(new Error('no')))).toBe('no');
});

test('work whose client has gone is over when its response would begin', async () => {
  let done = false;
  const left = async (res: ServerResponse) => {
    res.destroy();
    await once(res, 'close');
    done = true;
    // What reads the answer waits for the response to take more, or to close, and both have been.
    if (!res.write('{')) await new Promise(() => undefined);
  };
  expect(await answering(left)).toBe('over, not begun');
  expect(done).toBe(true);
});
