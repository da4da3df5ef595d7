import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { letOthersIn } from '@/server/limits/thread-meter';
import { noteConnection } from './new-connections';

/** Opens connections to a port, and ends when the operating system has all of them. */
const openAll = `
  const [port, count] = process.argv.slice(1).map(Number);
  let open = 0;
  for (let at = 0; at < count; at += 1) {
    const socket = require('node:net').connect(port, '127.0.0.1');
    socket.once('connect', () => ++open === count && process.exit(0));
  }`;

test('work that takes the thread for long goes on when the connections that came meanwhile are accepted', async () => {
  let accepted = 0;
  const server = createServer((socket) => {
    noteConnection();
    accepted += 1;
    socket.on('error', () => undefined).destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await setImmediate();
  // This process accepts none meanwhile, as in a long piece of work.
  const { status } = spawnSync(process.execPath, ['-e', openAll, String(port), '20'], { timeout: 10_000 });
  expect([status, accepted]).toEqual([0, 0]);
  await letOthersIn();
  // One round accepts one. How many do before the work goes on depends on how long they take.
  expect(accepted).toBeGreaterThan(1);
  server.close();
});
