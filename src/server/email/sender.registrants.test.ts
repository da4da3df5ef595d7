import { describe, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { openMailServer } from '@/server/email/mail-server.fixture';
import { queueEmailsOnce } from '@/server/email/outbox';
import { email, setupOutbox, signUp, unsent } from '@/server/email/outbox.fixture';
import { startSender, stopSender } from '@/server/email/sender';
import { until } from '@/test/receiver';

setupOutbox();

/** Has somebody get an email about registering in a tournament of this project. */
const register = (to: string, sourceId: string) =>
  db.$transaction((tx) =>
    queueEmailsOnce(tx, [{ to, kind: 'participant.registered', email, sourceId, asked: true, dedupeKey: null }]),
  );
const times = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, i) => make(i));

/** A mail server that waits for addresses which begin with `rented` once it is said so. */
async function openServer(answers: Parameters<typeof openMailServer>[0] = {}, connections = 10) {
  const waited: string[] = [];
  let hangs = false;
  const hang = () => {
    hangs = true;
  };
  const server = await openMailServer({
    onRcptTo({ address }, _session, callback) {
      if (!hangs || !address.startsWith('rented')) return callback();
      waited.push(address);
    },
    ...answers,
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: connections });
  startSender();
  return { ...server, waited, hang };
}

/** The same where the text has been sent. */
async function openServerOfTexts(connections = 10) {
  const waited: string[] = [];
  let hangs = false;
  const hang = () => {
    hangs = true;
  };
  const server = await openServer(
    {
      onData(stream, { envelope }, callback) {
        const [{ address } = { address: '' }] = envelope.rcptTo;
        if (hangs && address.startsWith('rented')) waited.push(address);
        else {
          server.received.push(address);
          callback();
        }
        stream.resume();
      },
      onRcptTo: (_address, _session, callback) => callback(),
    },
    connections,
  );
  return { ...server, waited, hang };
}

const organizers = times(5, (index) => `prj_${index}`);

test('who signs up from one block, and hangs in the tournaments of others, keeps none of their emails', async () => {
  const server = await openServer();
  const rented = times(30, (index) => `rented@own-${index}.test`);
  const innocent = times(6, (index) => `player@small-${index}.test`);
  for (const to of rented) await signUp(to, 'block');
  for (const [index, to] of innocent.entries()) await signUp(to, `home ${index}`);
  await until(async () => (await unsent()) === 0);
  server.hang();
  for (const [index, to] of rented.entries()) await register(to, organizers[index % 5] ?? '');
  // One registrant in the tournaments of all at once.
  for (const source of organizers) await register('rented@own-0.test', source);
  await until(() => server.waited.length > 0);
  const before = server.received.length;
  for (const [index, to] of innocent.entries()) await register(to, `prj_${index}`);
  await until(() => server.received.length === before + innocent.length);
  expect(server.received.slice(before).sort()).toEqual(innocent);
  expect(server.waited.length).toBeLessThan(3);
  await stopSender(0);
  await server.close();
});

test('domains that few have leave connections to those that are well known, from wherever they signed up', async () => {
  const server = await openServer();
  const rented = times(30, (index) => `rented@far-${index}.test`);
  for (const [index, to] of rented.entries()) await signUp(to, `block ${index}`);
  for (const to of times(20, (index) => `player${index}@large.test`)) await signUp(to, `home ${to}`);
  await until(async () => (await unsent()) === 0);
  server.hang();
  for (const [index, to] of rented.entries()) await register(to, organizers[index % 5] ?? '');
  await until(() => server.waited.length >= 5);
  const before = server.received.length;
  const sent = organizers.map((source, index) => ({ source, to: `player${index}@large.test` }));
  for (const { source, to } of sent) await register(to, source);
  await until(() => server.received.length === before + sent.length);
  expect(server.waited).toHaveLength(5);
  await stopSender(0);
  await server.close();
});

test('a domain of its own where one block has many recipients keeps no email of others, once it confirms no text', async () => {
  const server = await openServerOfTexts();
  const rented = times(30, (index) => `rented${index}@own.test`);
  const innocent = times(10, (index) => `player${index}@school.test`);
  for (const to of rented) await signUp(to, 'block');
  for (const [index, to] of innocent.entries()) await signUp(to, `home ${index}`);
  await until(async () => (await unsent()) === 0);
  server.hang();
  for (const [index, to] of rented.entries()) await register(to, organizers[index % 5] ?? '');
  await until(() => server.waited.length > 0);
  const before = server.received.length;
  for (const [index, to] of innocent.entries()) await register(to, `prj_${index}`);
  await until(() => server.received.length === before + innocent.length);
  expect(server.received.slice(before).sort()).toEqual(innocent);
  expect(server.waited.length).toBeLessThan(3);
  await stopSender(0);
  await server.close();
});

test('blocks whose emails hang leave one that many recipients have its emails of the same organizer', async () => {
  const server = await openServer();
  const rented = times(24, (index) => `rented${index}@own-${index}.test`);
  for (const [index, to] of rented.entries()) await signUp(to, index % 2 ? 'block' : 'phone');
  await until(async () => (await unsent()) === 0);
  server.hang();
  for (const to of rented) await register(to, 'prj_0');
  await until(() => server.waited.length === 2);
  const before = server.received.length;
  // Nobody knows from where they signed up.
  const innocent = times(12, (index) => `player@small-${index}.test`);
  for (const to of innocent) await register(to, 'prj_0');
  await until(() => server.received.length === before + innocent.length);
  expect(server.waited.length).toBeLessThan(6);
  await stopSender(0);
  await server.close();
});

describe.each([10, 4])('with %i connections', (connections) => {
  test.each([
    { what: 'recipients', open: (count: number) => openServer({}, count) },
    { what: 'texts', open: openServerOfTexts },
  ])(
    'who registers with many domains whose $what hang leaves others their emails of the same organizer',
    async ({ open }) => {
      const server = await open(connections);
      const rented = times(24, (index) => `rented${index}@own-${index % 12}.test`);
      const innocent = times(6, (index) => `player@small-${index}.test`);
      for (const to of rented) await signUp(to, 'block');
      for (const [index, to] of innocent.entries()) await signUp(to, `home ${index}`);
      await until(async () => (await unsent()) === 0);
      server.hang();
      for (const to of rented) await register(to, 'prj_0');
      await until(() => server.waited.length > 0);
      const before = server.received.length;
      for (const to of innocent) await register(to, 'prj_0');
      await until(() => server.received.length === before + innocent.length);
      expect(server.received.slice(before).sort()).toEqual(innocent);
      expect(server.waited.length).toBeLessThan(4);
      await stopSender(0);
      await server.close();
    },
  );
});

test('a block that registers with many organizers has no more of the connections at a domain of many than another', async () => {
  const server = await openServer();
  const of = (block: string, count: number) => times(count, (index) => `${block}${index}@large.test`);
  for (const to of of('player', 20)) await signUp(to, `home ${to}`);
  for (const to of of('rented', 20)) await signUp(to, 'block');
  await until(async () => (await unsent()) === 0);
  await stopSender(5_000);
  for (const source of times(20, (index) => `prj_${10 + index}`))
    for (const to of of('rented', 10)) await register(to, source);
  const innocent = of('player', 4);
  for (const [index, to] of innocent.entries())
    await register(to, ['prj_12', 'prj_20', 'prj_29', 'prj_99'][index] ?? '');
  const before = server.received.length;
  startSender();
  await until(async () => (await unsent()) === 0);
  const order = server.received.slice(before);
  expect(innocent.map((to) => order.indexOf(to) < 40)).toEqual([true, true, true, true]);
  await stopSender(0);
  await server.close();
});
