import { expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { openMailServer } from '@/server/email/mail-server.fixture';
import { ask, cause, invite, makeOwnProjects, rowOf, setupOutbox, unsent } from '@/server/email/outbox.fixture';
import { startSender, stopSender } from '@/server/email/sender';
import { until } from '@/test/receiver';

// Texts that the mail server does not confirm.
setupOutbox();

/** A mail server that never confirms the texts to addresses that begin with `slow`, which it notes in `held`. */
async function openHoldingServer(held: string[], answers: Parameters<typeof openMailServer>[0] = {}) {
  const server = await openMailServer({
    ...answers,
    onData(stream, { envelope }, callback) {
      const [{ address } = { address: '' }] = envelope.rcptTo;
      if (address.startsWith('slow')) held.push(address);
      else {
        server.received.push(address);
        callback();
      }
      stream.resume();
    },
  });
  return server;
}

test.each([
  ['first', 'fresh.test'],
  ['after others', 'known.test'],
])(
  'who comes to a domain %s, with texts over which the server takes long, delays nobody else there',
  async (order, domain) => {
    const held: string[] = [];
    const server = await openHoldingServer(held, {
      onRcptTo({ address }, _session, callback) {
        if (!address.includes('@hangs-')) callback();
      },
    });
    Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
    const [own = ''] = await makeOwnProjects(1);
    startSender();
    const sent = order === 'first' ? [] : await cause('prj_v', 1, '', `.${domain}`);
    await until(() => server.received.length === sent.length);
    await cause(own, 10, 'slow', `.${domain}`);
    for (let count = 0; count < 5; count += 1) await ask(`slow${count}@${domain}`, 'rented');
    await until(() => held.length >= 3);
    // It gives up when the time that the texts take is noticed too.
    const hanging = await ask(`a@hangs-${domain}`, 'school');
    await until(async () => (await rowOf(hanging)).lastError !== null);
    for (const source of ['prj_v', 'prj_w']) sent.push(...(await cause(source, 20, '', `.${domain}`)));
    for (let count = 0; count < 10; count += 1) {
      sent.push(`new${count}@${domain}`);
      await ask(`new${count}@${domain}`, 'home');
    }
    await until(() => server.received.length === sent.length);
    expect([...server.received].sort()).toEqual([...sent].sort());
    // None of those that are held has come to its end meanwhile.
    expect(
      await db.outgoingMail.count({ where: { recipient: { startsWith: 'slow' }, lastError: { not: null } } }),
    ).toBe(0);
    expect(held.length).toBeLessThanOrEqual(7);
    await stopSender(0);
    await server.close();
  },
);

test('a network that invites with many teams leaves most connections free, though the domain is known as prompt', async () => {
  const held: string[] = [];
  const server = await openHoldingServer(held);
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  startSender();
  const sent = await cause('prj_a', 1, '', '.invited.test');
  await until(() => server.received.length === sent.length);
  for (let count = 0; count < 8; count += 1) await invite(`tem_${count}`, 'rented', `slow${count}@invited.test`);
  await until(() => held.length >= 2);
  sent.push(...(await cause('prj_a', 20, '', '.invited.test')));
  await until(() => server.received.length === sent.length);
  expect(held.length).toBeLessThanOrEqual(3);
  await stopSender(0);
  await server.close();
});

test('projects of one account whose domain stops confirming texts keep the connections of one source', async () => {
  const kept: string[] = [];
  let keeps = false;
  const server = await openMailServer({
    onData(stream, { envelope }, callback) {
      const [{ address } = { address: '' }] = envelope.rcptTo;
      if (keeps && address.endsWith('.keep.test')) kept.push(address);
      else callback();
      stream.resume();
    },
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  const own = await makeOwnProjects(3);
  startSender();
  await cause('prj_a', 1, '', '.keep.test');
  await cause('prj_a', 1);
  await until(async () => (await unsent()) === 0);
  keeps = true;
  for (const source of own) await cause(source, 10, '', '.keep.test');
  await until(() => kept.length >= 3);
  await cause('prj_a', 20);
  await until(async () => (await db.outgoingMail.count({ where: { sourceId: 'prj_a', sentAt: null } })) === 0);
  expect(kept.length).toBeLessThanOrEqual(4);
  await stopSender(0);
  await server.close();
});
