import { expect, test } from 'vitest';
import { env } from '@/env';
import { openMailServer } from '@/server/email/mail-server.fixture';
import { ask, setupOutbox, unsent } from '@/server/email/outbox.fixture';
import { startSender, stopSender } from '@/server/email/sender';
import { until } from '@/test/receiver';

setupOutbox();

/** A mail server with few connections that from some time on says nothing about addresses which begin with `rented`, or this. */
async function openServer(connections: number, onRented: (callback: (error: Error) => void) => void = () => undefined) {
  const waited: string[] = [];
  let isSlow = false;
  const server = await openMailServer({
    onRcptTo({ address }, _session, callback) {
      if (!isSlow || !address.startsWith('rented')) return callback();
      waited.push(address);
      onRented(callback);
    },
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: connections });
  startSender();
  const slow = () => {
    isSlow = true;
  };
  return { ...server, waited, slow };
}

async function askFor(emails: [to: string, askedBy: string][]) {
  for (const [to, askedBy] of emails) await ask(to, askedBy);
}

test('where there is one connection for what people ask for, blocks take turns at domains that are prompt', async () => {
  const server = await openServer(2, (callback) =>
    setTimeout(callback, 300, Object.assign(new Error('later'), { responseCode: 451 })),
  );
  const rented = Array.from({ length: 12 }, (_, index) => `rented@own-${index}.test`);
  await askFor([...rented.map((to): [string, string] => [to, 'block']), ['a@small.test', 'home']]);
  await until(async () => (await unsent()) === 0);
  server.slow();
  await askFor(rented.map((to) => [to, 'block']));
  await until(() => server.waited.length > 0);
  const before = server.received.length;
  await ask('a@small.test', 'home');
  await until(() => server.received.length > before);
  expect(server.waited.length).toBeLessThan(5);
  await stopSender(0);
  await server.close();
});

test.each([3, 4, 5, 6])(
  'with %i connections, one block leaves one of those for what people ask for',
  async (connections) => {
    const server = await openServer(connections);
    await askFor([
      ['rented@prompt.test', 'block'],
      ['a@small.test', 'home'],
    ]);
    await until(async () => (await unsent()) === 0);
    server.slow();
    await ask('rented@was-late.test', 'block');
    // It has given up, and is late.
    await until(() => server.waited.length === 2);
    if (connections > 4) {
      await ask('rented@unknown.test', 'block');
      await until(() => server.waited.includes('rented@unknown.test'));
    }
    await ask('rented@prompt.test', 'block');
    const before = server.received.length;
    await ask('a@small.test', 'home');
    await until(() => server.received.length > before);
    expect(server.waited.length - 1).toBeLessThan(Math.ceil(connections / 2));
    await stopSender(0);
    await server.close();
  },
);
