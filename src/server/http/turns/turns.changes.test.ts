import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { env } from '@/env';
import { mintClientToken } from '@/server/auth/anti-cheat-clients';
import { db } from '@/server/db';
import { unsubscribeAddresses } from '@/server/email/unsubscribe';
import { describeError } from '@/server/errors';
import { makeAntiCheatClient, makeProject, makeTournament, makeUser } from '@/test/factories';
import { holdLock, someoneWaits } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { changeInTurn, changesOfCaller, changesOfNetwork, readInTurn } from './turns';

const api = setupTestServer();
beforeAll(() => {
  env.TRUSTED_PROXIES = 1;
});
afterAll(() => {
  env.TRUSTED_PROXIES = 0;
});

const from = (ip: string) => ({ 'X-Forwarded-For': ip });

/** Has a network make as many changes as it may, which end when the function that is returned is called. */
async function fill(ip: string) {
  const ends: (() => void)[] = [];
  const all = Array.from({ length: changesOfNetwork }, (_, at) =>
    changeInTurn(
      { ip, caller: `other ${Math.floor(at / changesOfCaller)}` },
      () => new Promise<void>((resolve) => ends.push(resolve)),
    ),
  );
  await expect.poll(() => ends.length).toBe(changesOfNetwork);
  return async () => {
    for (const end of ends) end();
    await Promise.all(all);
  };
}

/** What has an answer, in the order of the answers. */
function answers() {
  const order: string[] = [];
  return {
    order,
    note: async <Answer>(name: string, asked: Promise<Answer>) => {
      const answer = await asked;
      order.push(name);
      return answer;
    },
  };
}

test('changes of a network that makes many wait, over REST and tRPC, and those of others and reads do not', async () => {
  const end = await fill('198.51.100.20');
  const { bearer } = await makeUser();
  const revoke = (ip: string, path = '/auth/revoke', body: object = { refreshToken: 'none' }) =>
    api.post(path, { body, headers: from(ip) });
  const { order, note } = answers();
  const waiting = [
    note('revoke', revoke('198.51.100.20')),
    note('patch', api.patch('/me', { bearer, body: { name: 'Ada' }, headers: from('198.51.100.20') })),
    note('refused', api.patch('/me', { bearer, body: { name: 1 }, headers: from('198.51.100.20') })),
    note('trpc', revoke('198.51.100.20', '/api/trpc/auth.passwords.reset', { json: { token: 1 } })),
  ];
  for (let count = 0; count < 10; count += 1) {
    expect((await revoke('198.51.100.21')).status).toBe(200);
    expect((await api.get('/me', { bearer, headers: from('198.51.100.20') })).status).toBe(200);
  }
  expect(order).toEqual([]);
  await end();
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 400, 400]);
});

test('who sends something new as a credential each time is still one caller', async () => {
  const ip = '198.51.100.28';
  const ends: (() => void)[] = [];
  const running = Array.from({ length: changesOfNetwork }, (_, at) =>
    changeInTurn({ ip, caller: `other ${at}` }, () => new Promise<void>((resolve) => ends.push(resolve))),
  );
  await expect.poll(() => ends.length).toBe(changesOfNetwork);
  const { order, note } = answers();
  const body = { refreshToken: 'none' };
  const strangers = Array.from({ length: 20 }, (_, at) => {
    const headers = { ...from(ip), [at % 2 ? 'Cookie' : 'Authorization']: `theme=${at}` };
    return note('stranger', api.post('/api/trpc/auth.passwords.reset', { body, headers }));
  });
  const { bearer } = await makeUser();
  // All of them wait meanwhile.
  for (let count = 0; count < 20; count += 1) await api.get('/me', { bearer, headers: from('198.51.100.29') });
  const known = note(
    'known',
    changeInTurn({ ip, caller: 'known' }, async () => null),
  );
  ends.pop()?.();
  await Promise.all([known, ...strangers]);
  expect(order.indexOf('known')).toBeLessThan(5);
  for (const end of ends) end();
  await Promise.all(running);
});

test('an expired token holds up no exchange of a refresh token', async () => {
  const headers = { Authorization: 'Bearer expired' };
  const { status, reason } = await api.post('/auth/refresh', { headers, body: { refreshToken: 'none' } });
  expect([status, reason]).not.toContain('INVALID_ACCESS_TOKEN');
});

test('bodies that never arrive take no turns', async () => {
  const { bearer } = await makeUser();
  const ip = '198.51.100.22';
  const head = [
    ...['PATCH /api/v1/me HTTP/1.1', 'Host: x', `Authorization: ${bearer}`, `X-Forwarded-For: ${ip}`],
    ...['Content-Type: application/json', 'Content-Length: 1000', '', '{'],
  ].join('\r\n');
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let count = 0; count < 2 * changesOfNetwork; count += 1) {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
  }
  // All of them have been admitted, and wait for their bodies.
  for (let count = 0; count < 20; count += 1) {
    await api.get('/me', { bearer, headers: from('198.51.100.23') });
  }
  const turns: number[] = [];
  const all = Array.from({ length: changesOfNetwork }, (_, at) =>
    changeInTurn({ ip, caller: '' }, async () => void turns.push(at)),
  );
  for (let count = 0; count < 5 * changesOfNetwork; count += 1) await setImmediate();
  expect(turns).toHaveLength(changesOfNetwork);
  await Promise.all(all);
});

test('past what may wait, changes are refused with what to do, and what large bodies take counts', async () => {
  const ip = '198.51.100.24';
  const end = await fill(ip);
  const { bearer } = await makeUser();
  const waiting = Array.from({ length: 40 }, () =>
    changeInTurn({ ip, caller: 'others', size: 100 }, async () => 'made'),
  );
  const refusal = describeError(
    await changeInTurn({ ip, caller: 'others', size: 100 }, async () => null).catch((error: unknown) => error),
  );
  expect([refusal.status, refusal.reason, refusal.retryAfter]).toEqual([503, 'OVERLOADED', 3]);
  // Another caller gets the place of the one with the most.
  const another = api.patch('/me', { bearer, body: { name: 'Ada' }, headers: from(ip) });
  const outcomes = Promise.allSettled(waiting);
  await expect
    .poll(async () => await Promise.race([waiting.at(-1), setImmediate('waits')]).catch(() => 'gone'))
    .toBe('gone');
  await end();
  expect((await another).status).toBe(200);
  expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(39);
});

test('a caller who is refused over REST and tRPC learns when to try again', async () => {
  const ip = '198.51.100.25';
  const end = await fill(ip);
  const waiting = Array.from({ length: 4_000 }, () => changeInTurn({ ip, caller: '' }, async () => null));
  const body = { refreshToken: 'none' };
  for (const path of ['/auth/revoke', '/api/trpc/auth.passwords.reset']) {
    const { status, headers, text } = await api.post(path, { body, headers: from(ip) });
    expect([status, headers.get('Retry-After'), text]).toEqual([503, '3', expect.stringContaining('OVERLOADED')]);
  }
  await end();
  await Promise.all(waiting);
});

test('work that waits for nothing lets the rest of the process go on after each piece', async () => {
  let rounds = 0;
  let counting = true;
  const counted = (async () => {
    while (counting) {
      await setImmediate();
      rounds += 1;
    }
  })();
  const began = new Set<number>();
  const turn = { ip: '198.51.100.26', caller: '' };
  await Promise.all([
    ...Array.from({ length: 20 * changesOfNetwork }, () => changeInTurn(turn, async () => void began.add(rounds))),
    ...Array.from({ length: 80 }, () => readInTurn(turn, async () => void began.add(rounds))),
  ]);
  counting = false;
  await counted;
  expect(began.size).toBeGreaterThanOrEqual(15);
});

test('of the changes of one caller a few are made at a time, and of a network as many as without it', async () => {
  const ends: (() => void)[] = [];
  const begun = { one: 0, others: 0 };
  const change = (caller: string, name: 'one' | 'others') =>
    changeInTurn({ ip: '198.51.100.27', caller }, () => {
      begun[name] += 1;
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const all = Array.from({ length: changesOfNetwork }, () => change('one', 'one'));
  all.push(...Array.from({ length: changesOfNetwork }, (_, at) => change(`player ${at}`, 'others')));
  await expect.poll(() => begun).toEqual({ one: changesOfCaller, others: changesOfNetwork - changesOfCaller });
  while (begun.one + begun.others < all.length || ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await setImmediate();
  }
  await Promise.all(all);
});

test('changes of a network that wait for the same row leave connections of the database to others', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  const other = await makeUser();
  const players = await Promise.all(Array.from({ length: 5 }, () => makeUser()));
  const cancel = (bearer: string) =>
    api.post(`/tournaments/${id}/registrations/me/cancel`, { bearer, headers: from('198.51.100.29') });
  const release = await holdLock('SELECT 1 FROM tournament WHERE id = $1 FOR UPDATE', [id]);
  const waiting = players.flatMap(({ bearer }) => Array.from({ length: 8 }, () => cancel(bearer)));
  // They hold their connections for as long as the row is locked.
  for (let count = 0; count < 5; count += 1) {
    const headers = from('198.51.100.30');
    expect((await api.patch('/me', { bearer: other.bearer, body: { name: `Ada ${count}` }, headers })).status).toBe(
      200,
    );
  }
  await release();
  const answered = await Promise.all(waiting);
  expect(new Set(answered.map(({ status, reason }) => `${status} ${reason}`))).toEqual(new Set(['404 NOT_REGISTERED']));
});

test('so do those that unsubscribe by the link of an email, over and over', async () => {
  const player = await makeUser();
  const other = await makeUser();
  const path = new URL(unsubscribeAddresses(player.id).oneClick).search;
  const release = await holdLock('SELECT 1 FROM "user" WHERE id = $1 FOR UPDATE', [player.id]);
  const waiting = Array.from({ length: 40 }, () =>
    api.post(`/api/mail/unsubscribe${path}`, { headers: from('198.51.100.31') }),
  );
  await someoneWaits();
  for (let count = 0; count < 5; count += 1) {
    expect((await api.get('/me', { bearer: other.bearer, headers: from('198.51.100.32') })).status).toBe(200);
  }
  await release();
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]));
});

test('changes of a block that wait for one row for long leave connections of the database to others', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  const release = await holdLock('SELECT FROM tournament WHERE id = $1 FOR UPDATE', [id]);
  const changes = Array.from({ length: 20 }, (_, at) =>
    changeInTurn(
      { ip: `203.0.113.${at}`, caller: '' },
      () => db.$queryRaw`
      SELECT 1 AS waited FROM tournament WHERE id = ${id} FOR UPDATE`,
    ),
  );
  const waiting = async () => {
    const [row] = await db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%AS waited%'`;
    return row?.count;
  };
  // Five in turn, and two that go on without.
  await until(async () => (await waiting()) === 7);
  const { bearer } = await makeUser();
  const name = { body: { name: 'Ada' }, bearer, headers: from('198.51.100.40') };
  expect((await api.patch('/me', name)).status).toBe(200);
  expect(await waiting()).toBe(7);
  await release();
  expect(await Promise.all(changes)).toHaveLength(20);
});

test('what a client sends with an Idempotency-Key takes its turn, and its heartbeats need none', async () => {
  const { project, owner } = await makeProject();
  const { id } = await makeAntiCheatClient(project.id, owner.id);
  const { token, tokenHash } = mintClientToken();
  await db.antiCheatClient.update({ where: { id }, data: { tokenHash } });
  const beat = (headers: Record<string, string> = {}) =>
    api.post('/anti-cheat/clients/me/heartbeat', {
      bearer: `Bearer ${token}`,
      body: {},
      headers: { ...from('198.51.100.41'), ...headers },
    });
  const end = await fill('198.51.100.41');
  const { order, note } = answers();
  const waiting = note('kept', beat({ 'Idempotency-Key': 'one' }));
  for (let count = 0; count < 10; count += 1) expect((await beat()).status).toBe(200);
  expect(order).toEqual([]);
  await end();
  expect((await waiting).status).toBe(200);
});
