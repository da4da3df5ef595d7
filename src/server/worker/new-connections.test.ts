import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { letOthersIn } from '@/server/limits/thread-meter';
import { openAll } from '@/test/open-connections';
import { noteConnection } from './new-connections';

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
