import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { dropEnded } from './ended';

test('a connection that is over before it is accepted is closed, and nothing else is done for it', async () => {
  const server = createServer((_req, res) => void res.end('here'));
  const accepted: Socket[] = [];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  dropEnded(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const over = new Socket();
  server.emit('connection', over);
  expect([over.destroyed, over.listenerCount('data'), accepted]).toEqual([true, 0, []]);
  const { port } = server.address() as AddressInfo;
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('here');
  expect(accepted).toHaveLength(1);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
