import { expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { openMailServer } from '@/server/email/mail-server.fixture';
import { ask, cause, makeKnown, rowOf, setupOutbox, unsent } from '@/server/email/outbox.fixture';
import { startSender, stopSender } from '@/server/email/sender';
import { until } from '@/test/receiver';

setupOutbox();

/** Emails that have the pause of a failed attempt before them, apart from those that hang. */
const paused = () =>
  db.outgoingMail.count({
    where: { NOT: { recipient: { contains: '-hang' } }, dueAt: { gt: new Date(Date.now() + 50_000) } },
  });

const hangMs = 7_000;
/**
 * A mail server that accepts `limits.most` connections. With `keepsHanging`, it goes on counting those on which it waits for the
 * server of a recipient after we have closed them.
 */
async function openLimitedServer(limits: { most: number; keepsHanging?: boolean; onHang?: (to: string) => void }) {
  const [open, hanging] = [new Set<string>(), new Set<string>()];
  let [refused, most] = [0, 0];
  const refusal = { at: Number.POSITIVE_INFINITY, pauseMs: 0 };
  const server = await openMailServer({
    onConnect({ id }, callback) {
      if (open.size >= limits.most) {
        refused += 1;
        const now = performance.now();
        Object.assign(refusal, { at: now, pauseMs: Math.max(refusal.pauseMs, now - refusal.at) });
        return callback(Object.assign(new Error('too many connections from you'), { responseCode: 421 }));
      }
      open.add(id);
      most = Math.max(most, open.size);
      callback();
    },
    onRcptTo({ address }, { id }, callback) {
      if (!address.includes('-hang')) return callback();
      hanging.add(id);
      if (!limits.onHang) return;
      limits.onHang(address);
      setTimeout(callback, hangMs, Object.assign(new Error('try again later'), { responseCode: 451 }));
    },
    onClose({ id }) {
      if (!limits.keepsHanging || !hanging.has(id)) open.delete(id);
    },
  });
  return { server, refused: () => refused, longestPause: () => refusal.pauseMs, most: () => most };
}

test('emails that get no connection while others work are sent over those, each once, and later over more', async () => {
  const limits = { most: 3 };
  const { server, refused, most } = await openLimitedServer(limits);
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  const sent: string[] = [];
  for (const source of ['prj_a', 'prj_b', 'prj_c', 'prj_d', 'prj_e']) sent.push(...(await cause(source, 18)));
  startSender();
  await until(async () => {
    expect(await paused()).toBe(0);
    return (await unsent()) === 0;
  });
  expect(refused()).toBeGreaterThan(0);
  expect([...server.received].sort()).toEqual(sent.sort());
  expect(await db.outgoingMail.count({ where: { attempts: 1, lastError: null } })).toBe(90);
  expect(most()).toBe(3);
  await makeKnown('players.test');
  limits.most = 10;
  await until(async () => {
    if ((await unsent()) === 0) await cause('prj_a', 20);
    return most() > 3;
  });
  await stopSender(5_000);
  await server.close();
});

test('a network whose emails leave connections behind at the mail server keeps nobody waiting', async () => {
  const { server, refused } = await openLimitedServer({ most: 4, keepsHanging: true });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  startSender();
  const sent: string[] = [];
  const askNext = async () => {
    const to = sent.length % 2 === 0 ? `a${sent.length}@players.test` : `a@other-${sent.length}.test`;
    const id = await ask(to, `home ${sent.length}`);
    sent.push(to);
    await until(async () => {
      expect(await paused()).toBe(0);
      return (await rowOf(id)).sentAt !== null;
    });
    expect(await rowOf(id)).toMatchObject({ attempts: 1, lastError: null });
  };
  await askNext();
  for (let count = 0; count < 20; count += 1) await ask(`a@n${count}-hang.test`, 'rented');
  await until(async () => {
    await askNext();
    return refused() > 0;
  });
  for (let count = 0; count < 20; count += 1) {
    // Whoever has it send says so from time to time.
    startSender();
    await askNext();
  }
  expect(server.received).toEqual(sent);
  await stopSender(0);
  await server.close();
});

test('emails that hang do not get each connection that becomes free where there are few', async () => {
  const hung: string[] = [];
  const { server, refused } = await openLimitedServer({ most: 2, onHang: (to) => void hung.push(to) });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  startSender();
  const sent = await cause('prj_a', 30, '', '.players.test');
  await until(async () => (await unsent()) === 0);
  expect(refused()).toBeGreaterThan(0);
  for (let count = 0; count < 12; count += 1) await ask(`a@n${count}-hang.test`, `block ${count}`);
  await until(() => hung.length === 2);
  const called = await cause('prj_a', 1, '', '.players.test');
  await until(() => server.received.length > sent.length);
  expect(server.received.slice(sent.length)).toEqual(called);
  expect(hung.length).toBeLessThan(6);
  await stopSender(0);
  await server.close();
});

test('a mail server that greets late makes no recipient late', async () => {
  let waiting: (() => void)[] = [];
  const server = await openMailServer({
    onConnect: (_session, callback) => void setTimeout(callback, 5_500),
    onRcptTo: (_address, _session, callback) => {
      waiting.push(callback);
      if (waiting.length < 2) return;
      for (const answer of waiting) answer();
      waiting = [];
    },
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  for (const block of ['one', 'two', 'three', 'four']) await ask('a@players.test', block);
  startSender();
  await until(async () => (await unsent()) === 0);
  expect(await db.outgoingMail.count({ where: { attempts: 1 } })).toBe(4);
  await server.close();
});

test('a server that stops accepting connections is away once none works any more', async () => {
  const limits = { most: 10 };
  const { server, refused, longestPause } = await openLimitedServer(limits);
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  startSender();
  const sent = await cause('prj_a', 10);
  await until(async () => (await unsent()) === 0);
  limits.most = 0;
  server.hangUp();
  sent.push(...(await cause('prj_a', 15)), ...(await cause('prj_b', 15)));
  // While it counted as one that works, it was asked every second.
  await until(() => longestPause() > 3_500);
  // A few at the beginning, and one after each pause.
  expect(refused()).toBeLessThan(60);
  expect(await paused()).toBe(0);
  expect(await db.outgoingMail.count({ where: { sentAt: null, attempts: { gt: 1 } } })).toBe(0);
  limits.most = 10;
  await until(async () => (await unsent()) === 0);
  expect([...server.received].sort()).toEqual(sent.sort());
  await server.close();
});
