import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { openMailServer } from '@/server/email/mail-server.fixture';
import { ask, cause, letPass, rowOf, setupOutbox, unsent } from '@/server/email/outbox.fixture';
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
    // Those that it did not look at have no pause of their own.
    await until(async () => (await unsent()) === 0, 40_000);
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
    await until(async () => (await rowOf(id)).sentAt !== null);
    await server.close();
  });
});
