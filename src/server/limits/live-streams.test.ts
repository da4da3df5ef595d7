import { afterAll, beforeEach, expect, test } from 'vitest';
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
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => streams.open({ ip })));
  const open = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(open).toHaveLength(5);
  expect(results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))).toContainEqual(refused);
  await expect(streams.open({ ip: nextAddress() })).resolves.toBeTypeOf('function');
  open[0]?.();
  open[0]?.();
  await expect(streams.open({ ip })).resolves.toBeTypeOf('function');
  await expect(streams.open({ ip })).rejects.toEqual(refused);
});

test('an IPv6 connection counts as a whole', async () => {
  const [streams] = twoProcesses();
  for (let host = 1; host <= 5; host += 1) await streams.open({ ip: `2001:db8:1:${host}::1` });
  await expect(streams.open({ ip: '2001:db8:1:ffff::1' })).rejects.toEqual(refused);
  await expect(streams.open({ ip: '2001:db8:2:1::1' })).resolves.toBeTypeOf('function');
});

test('the addresses of a block have so many together', async () => {
  env.LIVE_STREAMS_PER_BLOCK = 8;
  const [streams] = twoProcesses();
  const open = (network: number) => streams.open({ ip: `192.0.2.${network}` });
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, network) => open(network)));
  const ends = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(ends).toHaveLength(8);
  await expect(streams.open({ ip: '198.51.100.1' })).resolves.toBeTypeOf('function');
  ends[0]?.();
  await expect(open(20)).resolves.toBeTypeOf('function');
  await expect(open(21)).rejects.toEqual(refused);
  env.LIVE_STREAMS_PER_BLOCK = 2_000;
});

test('processes count together, and one that stopped or died no longer counts', async () => {
  const [one, two] = twoProcesses();
  const ip = nextAddress();
  /** Whether a process would admit one more. */
  const admits = async (streams: LiveStreams) => {
    const end = await streams.open({ ip }).catch(() => null);
    end?.();
    return end !== null;
  };
  for (let count = 0; count < 3; count += 1) await one.open({ ip });
  const ends = [await two.open({ ip }), await two.open({ ip })];
  await expect.poll(() => admits(two), { timeout: 10_000, interval: 300 }).toBe(false);
  await expect.poll(() => admits(one), { timeout: 10_000, interval: 300 }).toBe(false);
  ends[0]?.();
  await expect.poll(() => admits(one), { timeout: 10_000, interval: 300 }).toBe(true);
  await expect
    .poll(
      () =>
        two.open({ ip }).then(
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
  for (let count = 0; count < 5; count += 1) await streams.open({ ip });
  await expect(streams.open({ ip })).rejects.toEqual(refused);
  await pool.query('ALTER TABLE gone RENAME TO live_stream_count');
});
