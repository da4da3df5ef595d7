import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { newId } from '@/domain/ids';
import { stepsOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { pool, reportLimits, reportPools } from '@/server/db';
import { report } from '@/server/report';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { makeProject, makeSubscription } from '@/test/factories';
import { holdLock } from '@/test/locks';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

const sleep = { text: 'SELECT pg_sleep(60)', values: [] };
/** An account that asks from a block of its own. */
const someone = () => [`block ${newId('usr')}`, newId('usr')];
const one = { text: 'SELECT 1 AS one', values: [] };

it('what would take too long to count is refused', async () => {
  const { project, owner } = await makeProject();
  const { id } = await makeSubscription(project.id, { url: 'http://127.0.0.1:9/hook' });
  await holdLock('LOCK TABLE webhook_delivery');
  const { status, reason } = await server.get(`/webhooks/subscriptions/${id}/replay`, { bearer: owner.bearer });
  expect([status, reason]).toEqual([503, 'OVERLOADED']);
}, 60_000);

it('an account whose statement was not quick runs no other one among the quick ones, though it asked before', async () => {
  const waits = { text: 'SELECT FROM pg_advisory_xact_lock(5)', values: [] };
  const release = await holdLock(waits.text);
  let quick = 0;
  const count = () => {
    quick += 1;
  };
  reportPools.quick.on('acquire', count);
  const isSlow = once(reportPools.slow, 'acquire');
  const account = someone();
  const asked = Promise.all(Array.from({ length: 5 }, () => report(account, waits)));
  await isSlow;
  await release();
  expect(await asked).toHaveLength(5);
  expect(quick).toBe(1);
  // Nothing kept the last ones waiting.
  expect(await report(account, one)).toEqual([{ one: 1 }]);
  reportPools.quick.off('acquire', count);
  expect(quick).toBe(2);
});

it('an account without end uses the quick connections for a short time', async () => {
  let quick = 0;
  const count = () => {
    quick += 1;
  };
  reportPools.quick.on('acquire', count);
  const account = someone();
  const statement = { text: 'SELECT FROM pg_sleep(0.08)', values: [] };
  for (let asked = 0; asked < 20; asked += 1) await report(account, statement);
  expect(quick).toBeLessThan(10);
  await report(someone(), one);
  reportPools.quick.off('acquire', count);
  expect(quick).toBeLessThan(11);
});

it('an address without an account that counts for long keeps no neighbor waiting', async () => {
  env.TRUSTED_PROXIES = 1;
  onTestFinished(() => {
    env.TRUSTED_PROXIES = 0;
  });
  const from = (ip: string) => ({ headers: { 'X-Forwarded-For': ip } });
  const { tournamentId } = await startCup(server, 4);
  const [match] = await readMatches(server, tournamentId);
  const release = await holdLock('LOCK TABLE match_event');
  const isSlow = once(reportPools.slow, 'acquire');
  let ended = 0;
  const counting = Array.from({ length: 4 }, () => server.get(`/matches/${match?.id}/events`, from('198.51.100.66')));
  for (const each of counting) {
    void each.then(() => {
      ended += 1;
    });
  }
  await isSlow;
  expect((await server.get('/tournaments', from('198.51.100.67'))).status).toBe(200);
  expect(ended).toBe(0);
  await release();
  await Promise.all(counting);
});

it('the addresses of a block leave a connection to others', async () => {
  const waits = { text: 'SELECT FROM pg_advisory_xact_lock(6)', values: [] };
  const release = await holdLock(waits.text);
  let [running, most] = [0, 0];
  const begin = () => {
    running += 1;
    most = Math.max(most, running);
  };
  const end = () => {
    running -= 1;
  };
  reportPools.quick.on('acquire', begin).on('release', end);
  const isSlow = once(reportPools.slow, 'acquire');
  const asked = Array.from({ length: 6 }, (_, at) => report(stepsOf(`203.0.113.${at}`), waits));
  await isSlow;
  reportPools.quick.off('acquire', begin).off('release', end);
  expect(most).toBe(reportLimits.quick.connections - 1);
  expect(await report(stepsOf('192.0.2.1'), one)).toEqual([{ one: 1 }]);
  await release();
  expect(await Promise.all(asked)).toHaveLength(6);
});

it('an account that has counted for long rests, and leaves slow connections to others', async () => {
  const account = someone();
  const counts = { text: 'SELECT FROM pg_sleep(5.2)', values: [] };
  await report(account, counts);
  let further = 0;
  const begin = () => {
    further += 1;
  };
  reportPools.slow.on('acquire', begin);
  onTestFinished(() => void reportPools.slow.off('acquire', begin));
  void report(account, one).catch(() => undefined);
  // Another one is slow, too, and does not wait for the first.
  const other = someone();
  await report(other, { text: 'SELECT FROM pg_sleep(0.3)', values: [] });
  expect(further).toBe(1);
}, 30_000);

it('accounts of one block, and another block, that count without end leave a connection to others', async () => {
  const waits = { text: 'SELECT FROM pg_advisory_xact_lock(8)', values: [] };
  const release = await holdLock(waits.text);
  let running = 0;
  const begin = () => {
    running += 1;
  };
  reportPools.slow.on('acquire', begin);
  onTestFinished(() => void reportPools.slow.off('acquire', begin));
  const [block = '', account = ''] = someone();
  const askers = [[block, account], [block, newId('usr')], stepsOf('198.51.100.2')];
  const asked = askers.map((asker) => report(asker, waits));
  await expect.poll(() => running).toBe(2);
  expect(await report(someone(), { text: 'SELECT 1 AS one FROM pg_sleep(0.3)', values: [] })).toEqual([{ one: 1 }]);
  await release();
  expect(await Promise.all(asked)).toHaveLength(3);
});

it('accounts that count for long keep neither others nor other requests waiting', async () => {
  let ended = 0;
  const accounts = Array.from({ length: 4 }, someone);
  const counting = accounts.flatMap((account) => Array.from({ length: 10 }, () => report(account, sleep)));
  for (const each of counting) {
    each.catch(() => {
      ended += 1;
    });
  }
  expect(await report(someone(), one)).toEqual([{ one: 1 }]);
  expect((await pool.query(one.text)).rows).toEqual([{ one: 1 }]);
  expect(ended).toBe(0);
});
