import { expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { openMailServer } from '@/server/email/mail-server.fixture';
import { ask, cause, invite, makeKnown, rowOf, setupOutbox } from '@/server/email/outbox.fixture';
import { startSender, stopSender } from '@/server/email/sender';
import { until } from '@/test/receiver';

// Recipients over whom the mail server does not answer, or takes long.
setupOutbox();

test('a project whose addresses hang keeps no other, nor what people ask for', async () => {
  const server = await openMailServer({
    onRcptTo({ address }, _session, callback) {
      if (!address.startsWith('hang')) callback();
    },
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 5 });
  startSender();
  await makeKnown('players.test');
  await cause('prj_a', 20, 'hang');
  await until(() => server.connections().most >= 2);
  const sent = [...(await cause('prj_b', 20)), 'new@players.test'];
  await ask('new@players.test');
  await until(() => sent.every((to) => server.received.includes(to)));
  await stopSender(0);
  await server.close();
});

test('a domain at which the mail server waits keeps nobody, however many sign up and are invited with it', async () => {
  const waited: string[] = [];
  const server = await openMailServer({
    onRcptTo({ address }, _session, callback) {
      if (!address.endsWith('.hang.test')) return callback();
      waited.push(address);
      setTimeout(() => callback(Object.assign(new Error('no answer from there'), { responseCode: 451 })), 6_000);
    },
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 5 });
  for (let count = 0; count < 30; count += 1) await ask(`a@n${count}.hang.test`);
  await cause('prj_a', 30, '', '.hang.test');
  await cause('prj_b', 30, '', '.hang.test');
  startSender();
  await until(() => waited.length >= 5);
  const sent = [...(await cause('prj_c', 5)), 'new@players.test'];
  await ask('new@players.test');
  await until(() => server.received.length === sent.length, 50_000);
  expect([...server.received].sort()).toEqual(sent.sort());
  expect(waited.length).toBeLessThan(20);
  await stopSender(0);
  await server.close();
});

test('an email to a domain that hangs gives its connection up, and one that the server has got does not', async () => {
  const waited: string[] = [];
  let end: () => void = () => undefined;
  const server = await openMailServer({
    onRcptTo({ address }, _session, callback) {
      if (address.endsWith('-hang.test')) waited.push(address);
      else callback();
    },
    onData(stream, { envelope }, callback) {
      if (envelope.rcptTo[0]?.address === 'slow@players.test') end = () => callback();
      else callback();
      stream.resume();
    },
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 20 });
  startSender();
  const slow = await ask('slow@players.test');
  const hanging = await ask('a@one-hang.test');
  // The server has said nothing about it, and is asked again.
  await until(() => waited.length === 2, 25_000);
  const other = await ask('a@two-hang.test');
  await until(() => waited.filter((address) => address === 'a@two-hang.test').length === 1);
  end();
  await until(async () => (await rowOf(slow)).sentAt !== null);
  expect(await rowOf(slow)).toMatchObject({ attempts: 1, lastError: null });
  expect([(await rowOf(hanging)).attempts, (await rowOf(other)).attempts]).toEqual([1, 1]);
  await stopSender(0);
  await server.close();
});

test('one network with many domains that hang keeps nobody waiting, with a known domain or a first email to another', async () => {
  const waited: string[] = [];
  const server = await openMailServer({
    onRcptTo({ address }, _session, callback) {
      if (address.includes('-hang')) waited.push(address);
      else callback();
    },
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  startSender();
  const first = await ask('first@players.test', 'home');
  await until(async () => (await rowOf(first)).sentAt !== null);
  for (let count = 0; count < 48; count += 1) await ask(`a${count}@n${count % 8}-hang.test`, 'rented');
  await until(() => waited.length > 0);
  const sent = ['first@players.test'];
  for (let count = 0; count < 20; count += 1) {
    const [known, other] = [`a${count}@players.test`, `a${count}@other-${count}.test`];
    await ask(known, `home ${count}`);
    await ask(other, `school ${count}`);
    sent.push(known, other);
  }
  await until(() => server.received.length === sent.length, 60_000);
  expect([...server.received].sort()).toEqual(sent.sort());
  // One of them waits at a time, and one among the late ones; a second was begun where the first gave up meanwhile.
  expect(waited.length).toBeLessThan(5);
  await stopSender(0);
  await server.close();
});

test('a recipient over whom the server takes long makes others at its domain wait for nothing else that hangs', async () => {
  const waited: string[] = [];
  const server = await openMailServer({
    onRcptTo({ address }, _session, callback) {
      if (!address.startsWith('nobody')) return callback();
      waited.push(address);
      if (!address.includes('-hang')) setTimeout(callback, 6_000, new Error('no such user'));
    },
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  startSender();
  const sent = await cause('prj_v', 1, '', '.school.test');
  await until(() => server.received.length === 1);
  const unknown = await ask('nobody@some.school.test', 'rented');
  await until(async () => (await rowOf(unknown)).lastError?.includes('no such user') === true);
  for (let count = 0; count < 8; count += 1) await ask(`nobody@n${count}-hang.test`, 'rented');
  // One of them has given up and hangs among the late ones.
  await until(() => waited.filter((address) => address === 'nobody@n0-hang.test').length === 2);
  for (let count = 0; count < 10; count += 1) {
    sent.push(`pupil${count}@some.school.test`);
    await ask(`pupil${count}@some.school.test`, `home ${count}`);
  }
  sent.push(...(await cause('prj_v', 10, '', '.school.test')));
  await until(() => server.received.length === sent.length, 60_000);
  expect([...server.received].sort()).toEqual([...sent].sort());
  const lastError = 'the mail server waits for that of the recipient';
  const ended = () => db.outgoingMail.count({ where: { kind: 'reset_password', lastError: { not: lastError } } });
  // Only the first one that was refused has come to its end meanwhile. The next late one gives up earlier, and pauses.
  expect(await ended()).toBe(1);
  const hasPause = () => ({ lastError, dueAt: { gt: new Date(Date.now() + 50_000) } });
  await until(async () => (await db.outgoingMail.count({ where: hasPause() })) > 0);
  expect(await ended()).toBe(2);
  await stopSender(0);
  await server.close();
});

test('projects with many first emails to domains that hang leave their turns to others, wherever these are in the order', async () => {
  let waited = 0;
  const server = await openMailServer({
    onRcptTo({ address }, _session, callback) {
      if (!address.includes('-hang')) return callback();
      waited += 1;
      setTimeout(() => callback(Object.assign(new Error('no answer from there'), { responseCode: 451 })), 500);
    },
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  for (const source of ['prj_a', 'prj_b'])
    for (let count = 0; count < 30; count += 1) await cause(source, 1, '', `.${source.slice(-1)}${count}-hang.test`);
  for (let count = 0; count < 30; count += 1)
    await invite(`prj_a${String(count).padStart(2, '0')}`, 'rented', `a@c${count}-hang.test`);
  startSender();
  await until(() => waited >= 5);
  const [first = ''] = await cause('prj_c', 1, '', '.first.test');
  const invited = 'a@second.test';
  await invite('prj_d', 'home', invited);
  await until(() => server.received.length === 2, 60_000);
  expect(server.received.sort()).toEqual([first, invited].sort());
  expect(waited).toBeLessThan(20);
  await stopSender(0);
  await server.close();
});

test('of one network, one first email at a time is kept at a text that is not confirmed, whatever its domain is then', async () => {
  const [kept, waited]: [string[], string[]] = [[], []];
  const server = await openMailServer({
    onRcptTo({ address }, _session, callback) {
      if (address.endsWith('-stall.test')) waited.push(address);
      else callback();
    },
    onData(stream, { envelope }, callback) {
      const [{ address } = { address: '' }] = envelope.rcptTo;
      if (address.endsWith('-keep.test')) kept.push(address);
      else callback();
      stream.resume();
    },
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  for (let count = 0; count < 8; count += 1) await ask(`a@n${count}-keep.test`, 'hoarder');
  startSender();
  await until(() => kept.length === 1);
  // It gives up, and has its next try, when those of before are late.
  await ask('a@one-stall.test', 'pupil');
  await until(() => waited.length === 2);
  const other = await ask('a@other.test', 'reader');
  await until(async () => (await rowOf(other)).sentAt !== null);
  expect(kept).toHaveLength(1);
  await stopSender(0);
  await server.close();
});
