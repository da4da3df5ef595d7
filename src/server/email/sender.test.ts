import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { openMailServer } from '@/server/email/mail-server.fixture';
import {
  ask,
  cause,
  invite,
  letPass,
  makeKnown,
  makeOwnProjects,
  rowOf,
  setupOutbox,
  unsent,
} from '@/server/email/outbox.fixture';
import { startSender, stopSender } from '@/server/email/sender';
import { fillDisk } from '@/test/full-disk';
import { until } from '@/test/receiver';

setupOutbox();

test('without a mail server, emails are files', async () => {
  const id = await ask('ada@players.test');
  startSender();
  await until(async () => (await unsent()) === 0);
  expect(await rowOf(id)).toMatchObject({ contentEncrypted: null, sentAt: expect.any(Date), attempts: 1, dueAt: null });
  const file = await readFile(path.join(env.LAUREL_DATA_DIR, 'mail', `${id}.eml`), 'utf8');
  for (const part of ['To: ada@players.test', 'Subject: Choose a new password', 'text/plain', 'text/html'])
    expect(file).toContain(part);
});

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

describe('with a mail server', () => {
  test('an email whose result the database has no room for is not sent again', async () => {
    const server = await openMailServer();
    Object.assign(env, { SMTP_URL: server.url });
    const disk = await fillDisk('UPDATE OF "sentAt" ON outgoing_mail');
    const id = await ask('ada@players.test');
    startSender();
    await until(async () => (await disk.refusals()) > 5);
    await disk.makeRoom();
    await until(async () => (await unsent()) === 0);
    expect(server.received).toEqual(['ada@players.test']);
    expect(await rowOf(id)).toMatchObject({ attempts: 1, lastError: null });
    await server.close();
  });

  test('emails go over a few connections that stay open, each once', async () => {
    const server = await openMailServer();
    Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 5 });
    startSender();
    const sent = [...(await cause('prj_a', 40)), ...(await cause('prj_b', 40))];
    await until(async () => (await unsent()) === 0);
    expect([...server.received].sort()).toEqual(sent.sort());
    expect(server.connections().most).toBeLessThanOrEqual(5);
    expect(server.connections().total).toBeLessThanOrEqual(5);
    expect(new Set(server.texts.map((text) => /^Message-ID: <(.*)@/m.exec(text)?.[1])).size).toBe(80);
    expect(await db.outgoingMail.count({ where: { attempts: 1 } })).toBe(80);
    await server.close();
  });

  test('ten thousand emails of a project delay neither a sign-up nor another project', async () => {
    const server = await openMailServer();
    Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
    await cause('prj_a', 10_000);
    startSender();
    await until(() => server.received.length > 20);
    const before = server.received.length;
    const id = await ask('new@players.test');
    const [other = ''] = await cause('prj_b', 1);
    await until(() => server.received.includes('new@players.test') && server.received.includes(other));
    // Those that were under way, and a few while the two were written.
    expect(server.received.indexOf('new@players.test') - before).toBeLessThan(200);
    expect(server.received.indexOf(other) - before).toBeLessThan(300);
    await until(async () => (await rowOf(id)).sentAt !== null);
    await stopSender(1_000);
    await server.close();
  });

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

  test('an address that is refused is tried again after pauses, and given up after the last; others are sent', async () => {
    const server = await openMailServer({
      onRcptTo({ address }, _session, callback) {
        if (address.startsWith('bad')) callback(Object.assign(new Error('no such user'), { responseCode: 550 }));
        else callback();
      },
    });
    Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 5 });
    startSender();
    const [bad = ''] = await cause('prj_a', 1, 'bad');
    await cause('prj_a', 10);
    await until(async () => (await unsent()) === 1);
    const row = await db.outgoingMail.findFirstOrThrow({ where: { recipient: bad } });
    expect(row).toMatchObject({ attempts: 1, lastError: expect.stringContaining('no such user'), failedAt: null });
    expect(row.dueAt?.getTime()).toBeGreaterThan(Date.now() + 30_000);
    await db.outgoingMail.update({ where: { id: row.id }, data: { attempts: 11, dueAt: new Date() } });
    await until(async () => (await rowOf(row.id)).failedAt !== null);
    expect(await rowOf(row.id)).toMatchObject({ attempts: 12, contentEncrypted: null, dueAt: null, sentAt: null });
    await server.close();
  });

  test('while the server is away, no attempt is counted, and it is asked with one email at a time', async () => {
    const first = await openMailServer();
    const port = Number(new URL(first.url).port);
    await first.close();
    Object.assign(env, { SMTP_URL: first.url, SMTP_CONNECTIONS: 5 });
    await cause('prj_a', 30);
    startSender();
    const failed = () => db.outgoingMail.count({ where: { lastError: { not: null } } });
    await until(async () => (await failed()) >= 3);
    // Those that were under way when it was noticed, and one after each pause.
    expect(await failed()).toBeLessThanOrEqual(5);
    expect(await db.outgoingMail.count({ where: { attempts: { gt: 1 } } })).toBe(0);
    const server = await openMailServer({}, port);
    // Only those that failed wait then; time that passes would end the claims of others.
    await until(async () => (await db.outgoingMail.count({ where: { sentAt: null, lastError: null } })) === 0);
    await letPass(1);
    await until(async () => (await unsent()) === 0);
    expect(server.received).toHaveLength(30);
    expect(await db.outgoingMail.count({ where: { attempts: 1 } })).toBe(30);
    await server.close();
  });

  test('a server that is back is asked with several emails again, though recipients hang', async () => {
    const first = await openMailServer();
    const port = Number(new URL(first.url).port);
    await first.close();
    Object.assign(env, { SMTP_URL: first.url, SMTP_CONNECTIONS: 10 });
    for (let count = 0; count < 6; count += 1) await ask(`a@n${count}-silent.test`, `asker ${count}`);
    startSender();
    await until(async () => (await db.outgoingMail.count({ where: { lastError: { not: null } } })) > 0);
    const server = await openMailServer({ onRcptTo: () => undefined }, port);
    await letPass(1);
    await until(async () => server.connections().most > 1);
    await stopSender(0);
    await server.close();
  });

  test('a server that is away for a day has its emails given up', async () => {
    const server = await openMailServer();
    await server.close();
    Object.assign(env, { SMTP_URL: server.url });
    const id = await ask();
    await letPass(1_500);
    startSender();
    await until(async () => (await rowOf(id)).failedAt !== null);
  });

  test('of a mail server that answers without an end, little is kept', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).write('220 here\r\n');
      socket.on('data', (command: Buffer) => {
        if (!command.toString().startsWith('RCPT')) return void socket.write('250 yes\r\n');
        const go = () => {
          while (!socket.destroyed && socket.write('x'.repeat(64 * 1024)));
        };
        socket.on('drain', go);
        go();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    Object.assign(env, { SMTP_URL: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const id = await ask();
    startSender();
    await until(async () => (await rowOf(id)).lastError !== null);
    expect((await rowOf(id)).lastError).toContain('closed');
    await stopSender(0);
    server.close();
  });

  test('a server that takes a few emails on each connection gets them all, without a pause', async () => {
    const taken = new Map<string, number>();
    const server = await openMailServer({
      onMailFrom(_address, session, callback) {
        const count = (taken.get(session.id) ?? 0) + 1;
        taken.set(session.id, count);
        if (count > 3) callback(Object.assign(new Error('too many emails'), { responseCode: 421 }));
        else callback();
      },
    });
    Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 2 });
    startSender();
    await cause('prj_a', 12);
    await until(async () => (await unsent()) === 0);
    expect(await db.outgoingMail.count({ where: { attempts: 1, lastError: null } })).toBe(12);
    await server.close();
  });

  test('with a name and a password that the server refuses, emails wait', async () => {
    const server = await openMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, callback) =>
        password === 'right' ? callback(null, { user: 'laurel' }) : callback(new Error('wrong password')),
    });
    Object.assign(env, { SMTP_URL: `${server.url.replace('//', '//laurel:wrong@')}?requireTLS=false` });
    const id = await ask();
    startSender();
    await until(async () => (await rowOf(id)).lastError !== null);
    expect(await rowOf(id)).toMatchObject({ attempts: 0, lastError: expect.stringContaining('wrong password') });
    Object.assign(env, { SMTP_URL: `${server.url.replace('//', '//laurel:right@')}?requireTLS=false` });
    await letPass(1);
    await until(async () => (await rowOf(id)).sentAt !== null);
    await server.close();
  });
});
