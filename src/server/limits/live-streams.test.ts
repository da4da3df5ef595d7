import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { env } from '@/env';
import { closeDatabase, pool } from '@/server/db';
import { LiveStreams } from '@/server/limits/live-streams';

beforeEach(() => {
  env.LIVE_STREAMS_PER_NETWORK = 5;
});
afterAll(closeDatabase);

/** As two processes have it. */
const twoProcesses = () => [new LiveStreams(), new LiveStreams()] as const;
let networks = 0;
const nextAddress = () => `203.0.113.${++networks}`;
const refused = expect.objectContaining({ reason: 'QUOTA_EXCEEDED' });

test('a network has so many streams and no more, until one ends', async () => {
  const [streams] = twoProcesses();
  const ip = nextAddress();
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => streams.open(ip, null)));
  const open = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(open).toHaveLength(5);
  expect(results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))).toContainEqual(refused);
  await expect(streams.open(nextAddress(), null)).resolves.toBeTypeOf('function');
  open[0]?.();
  open[0]?.();
  await expect(streams.open(ip, null)).resolves.toBeTypeOf('function');
  await expect(streams.open(ip, null)).rejects.toEqual(refused);
});

test('an IPv6 connection counts as a whole', async () => {
  const [streams] = twoProcesses();
  for (let host = 1; host <= 5; host += 1) await streams.open(`2001:db8:1:${host}::1`, null);
  await expect(streams.open('2001:db8:1:ffff::1', null)).rejects.toEqual(refused);
  await expect(streams.open('2001:db8:2:1::1', null)).resolves.toBeTypeOf('function');
});

test('the addresses of a block have so many together', async () => {
  env.LIVE_STREAMS_PER_BLOCK = 8;
  const [streams] = twoProcesses();
  const open = (network: number) => streams.open(`192.0.2.${network}`, null);
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, network) => open(network)));
  const ends = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(ends).toHaveLength(8);
  await expect(streams.open('198.51.100.1', null)).resolves.toBeTypeOf('function');
  ends[0]?.();
  await expect(open(20)).resolves.toBeTypeOf('function');
  await expect(open(21)).rejects.toEqual(refused);
  env.LIVE_STREAMS_PER_BLOCK = 2_000;
});

test('the accounts at a block of addresses have so many together, whatever each has', async () => {
  const before = env.ACCOUNT_STREAMS_PER_BLOCK;
  env.ACCOUNT_STREAMS_PER_BLOCK = 6;
  onTestFinished(() => void Object.assign(env, { ACCOUNT_STREAMS_PER_BLOCK: before }));
  const [streams] = twoProcesses();
  const open = (host: number) => streams.open(`192.0.3.${host}`, `usr_${host % 4}`);
  const ends = [];
  for (let host = 0; host < 6; host += 1) ends.push(await open(host));
  await expect(open(6)).rejects.toEqual(refused);
  await expect(streams.open('192.0.3.7', null)).resolves.toBeTypeOf('function');
  await expect(streams.open('198.51.101.1', 'usr_1')).resolves.toBeTypeOf('function');
  ends[0]?.();
  await expect(open(6)).resolves.toBeTypeOf('function');
});

test('one address leaves half of that to the others of its block', async () => {
  const before = env.ACCOUNT_STREAMS_PER_NETWORK;
  env.ACCOUNT_STREAMS_PER_NETWORK = 3;
  onTestFinished(() => void Object.assign(env, { ACCOUNT_STREAMS_PER_NETWORK: before }));
  const [streams] = twoProcesses();
  for (let account = 0; account < 3; account += 1) await streams.open('192.0.4.1', `usr_${account}`);
  await expect(streams.open('192.0.4.1', 'usr_3')).rejects.toEqual(refused);
  await expect(streams.open('192.0.4.2', 'usr_3')).resolves.toBeTypeOf('function');
});

test('processes count together, and one that stopped or died no longer counts', async () => {
  const [one, two] = twoProcesses();
  const ip = nextAddress();
  /** Whether a process would admit one more. */
  const admits = async (streams: LiveStreams) => {
    const end = await streams.open(ip, null).catch(() => null);
    end?.();
    return end !== null;
  };
  for (let count = 0; count < 3; count += 1) await one.open(ip, null);
  const ends = [await two.open(ip, null), await two.open(ip, null)];
  await expect.poll(() => admits(two), { timeout: 10_000, interval: 300 }).toBe(false);
  await expect.poll(() => admits(one), { timeout: 10_000, interval: 300 }).toBe(false);
  ends[0]?.();
  await expect.poll(() => admits(one), { timeout: 10_000, interval: 300 }).toBe(true);
  await expect
    .poll(
      () =>
        two.open(ip, null).then(
          () => true,
          () => false,
        ),
      { timeout: 10_000, interval: 300 },
    )
    .toBe(true);
  await expect.poll(() => admits(one), { timeout: 10_000, interval: 300 }).toBe(false);
  await two.stop();
  await expect.poll(() => admits(one), { timeout: 10_000, interval: 300 }).toBe(true);
  await pool.query(`INSERT INTO live_stream_count VALUES ($1, 'died', 9, now() + interval '3 seconds')`, [ip]);
  await expect.poll(() => admits(one), { timeout: 2_500, interval: 300 }).toBe(false);
  await expect.poll(() => admits(one), { timeout: 10_000, interval: 300 }).toBe(true);
});

test('without the database, each process counts alone', async () => {
  const [streams] = twoProcesses();
  const ip = nextAddress();
  await pool.query('ALTER TABLE live_stream_count RENAME TO gone');
  for (let count = 0; count < 5; count += 1) await streams.open(ip, null);
  await expect(streams.open(ip, null)).rejects.toEqual(refused);
  await pool.query('ALTER TABLE gone RENAME TO live_stream_count');
});
