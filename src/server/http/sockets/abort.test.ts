import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { abort, lateBody } from './abort';
import { oneAtATime } from './connections';
import { limitPieces } from './pieces';

/** Sends the beginning of a request whose body never ends, and then more of it until the connection is over. @returns what came back */
async function flood(path: string, first: string): Promise<string> {
  const server = createServer(
    oneAtATime((req, res) => {
      if (req.url === '/begun') res.writeHead(200).write('begun');
      if (req.url === '/late') abort(req.socket, lateBody);
      req.resume();
    }),
  );
  limitPieces(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    text += ` ${error.code}`;
  });
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${first}`);
  while (!socket.readableEnded && !socket.closed) {
    socket.write('1\r\nx\r\n');
    await setImmediate();
  }
  socket.destroy();
  return text;
}

const tiny = '1\r\nx\r\n'.repeat(10_000);

test('a connection that is closed for its body is answered first, and its client reads that while it goes on sending', async () => {
  for (const path of ['/', '/unread']) {
    expect(await flood(path, tiny)).toMatch(/^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\n[\s\S]*once\.\n$/);
  }
  expect(await flood('/late', '')).toMatch(
    /^HTTP\/1.1 408 Request Timeout\r\nConnection: close\r\n[\s\S]*in time\.\n$/,
  );
});

test('one whose answer has begun is closed without another one', async () => {
  const text = await flood('/begun', '');
  expect(text.match(/HTTP\/1.1/g)).toHaveLength(1);
});
