import fc from 'fast-check';
import { eventType, Inngest, type InngestFunction, staticSchema } from 'inngest';
import pg from 'pg';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sweepParked } from '@/embedded/inngest/claim';
import {
  type EmbeddedExecutor,
  type EmbeddedExecutorOptions,
  startEmbeddedExecutor,
} from '@/embedded/inngest/executor';
import { prune } from '@/embedded/inngest/retention';
import { BatchTurns } from '@/server/delivery/queue/batches';
import { createEmbeddedTransport } from '@/server/jobs/embedded/transport';
import { FairQueue } from '@/server/worker/fair-queue';
import { fillDisk } from '@/test/full-disk';
import { until } from '@/test/receiver';

const connectionString = process.env.DATABASE_URL ?? '';
const pool = new pg.Pool({ connectionString, max: 4 });
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const transport = createEmbeddedTransport(() => connectionString);
const executors: EmbeddedExecutor[] = [];
let client: Inngest.Any;

type Data = { key: string; [name: string]: unknown };
const on = <Name extends string>(name: Name) => eventType(name, { schema: staticSchema<Data>() });

async function start(functions: InngestFunction.Any[], options: Partial<EmbeddedExecutorOptions> = {}) {
  const common = { connectionString, client, transport, functions, logger, backoff: () => 10 };
  const executor = await startEmbeddedExecutor({ ...common, ...options });
  executors.push(executor);
  return executor;
}

const rows = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows;
const statuses = async () => (await rows('SELECT status FROM local_inngest.runs ORDER BY id')).map((row) => row.status);

beforeEach(() => {
  client = new Inngest({ id: 'test', isDev: true, logger, fetch: transport.fetch });
});
afterEach(async () => {
  await Promise.all(executors.splice(0).map((executor) => executor.stop()));
  await pool.query('TRUNCATE local_inngest.events, local_inngest.runs, local_inngest.jobs, local_inngest.waits');
  await pool.query('TRUNCATE local_inngest.schedules');
});
afterAll(async () => {
  await transport.close();
  await pool.end();
});

describe('start', () => {
  test('rejects unsupported features, naming each with its function', async () => {
    const noop = () => null;
    const trigger = [on('x/y')];
    const limit = { limit: 1, period: '1s' } as const;
    const functions = [
      client.createFunction({ id: 'one', triggers: trigger, rateLimit: limit, debounce: { period: '1s' } }, noop),
      client.createFunction({ id: 'two', triggers: trigger, throttle: limit, priority: { run: '1' } }, noop),
      client.createFunction({ id: 'three', triggers: trigger, batchEvents: { maxSize: 2, timeout: '1s' } }, noop),
      client.createFunction(
        { id: 'four', triggers: trigger, singleton: { mode: 'skip' }, timeouts: { start: '1s' } },
        noop,
      ),
      client.createFunction({ id: 'five', triggers: [{ cron: '* * * * * *' }] }, noop),
      client.createFunction({ id: 'six', triggers: [{ event: 'x/*' }, { event: 'x', if: 'event.data.n > 1' }] }, noop),
      client.createFunction(
        { id: 'seven', triggers: trigger, concurrency: { limit: 1, key: 'event.data.a + "b"' } },
        noop,
      ),
      client.createFunction(
        { id: 'eight', triggers: trigger, cancelOn: [{ event: 'z', if: 'async.data.n > 1' }] },
        noop,
      ),
      client.createFunction({ id: 'nine', triggers: trigger, idempotency: 'event.data.a + event.data.b' }, noop),
      client.createFunction({ id: 'ten', triggers: [{ event: 'inngest/function.finished' }] }, noop),
      client.createFunction({ id: 'eleven' }, noop),
      client.createFunction({ id: 'fine', triggers: [{ cron: 'TZ=Europe/Paris 0 9 * * 1' }] }, noop),
    ];
    const message = await start(functions).catch((error: Error) => error.message);
    const named = [
      ['one: rateLimit', 'one: debounce', 'two: throttle', 'two: priority', 'three: batchEvents', 'four: singleton'],
      ['four: timeouts', 'five: cron "* * * * * *"', 'six: wildcard trigger "x/*"', 'six: trigger expression'],
      [
        'seven: concurrency key',
        'eight: cancelOn expression',
        'nine: idempotency',
        'ten: trigger',
        'eleven: no trigger',
      ],
    ];
    for (const name of named.flat()) expect(message).toContain(`test-${name}`);
    expect(message).not.toContain('fine');
  });

  test('rejects a client that would check signatures', async () => {
    client = new Inngest({ id: 'test', isDev: false, logger });
    await expect(start([])).rejects.toThrow('isDev');
  });

  test('is ready until it is stopped, and may be stopped twice', async () => {
    const executor = await start([]);
    expect(executor.ready()).toBe(true);
    await Promise.all([executor.stop(), executor.stop()]);
    expect(executor.ready()).toBe(false);
  });
});

test('stop releases calls that do not end in time, and their late results are rejected', async () => {
  let end: (value: string) => void = () => undefined;
  const late = new Promise<string>((resolve) => {
    end = resolve;
  });
  let calls = 0;
  const fn = client.createFunction({ id: 'slow', triggers: [on('x/y')] }, async ({ step }) => {
    calls += 1;
    return step.run('slow', () => (calls === 1 ? late : 'in time'));
  });
  const first = await start([fn], { graceMs: 50 });
  await client.send({ name: 'x/y', data: {} });
  while (calls === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await first.stop();
  expect(await rows('SELECT leased_by FROM local_inngest.jobs')).toEqual([{ leased_by: null }]);
  const second = await start([fn]);
  await second.idle();
  end('late');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await rows('SELECT status, output FROM local_inngest.runs')).toEqual([
    { status: 'completed', output: '"in time"' },
  ]);
});

test('onRun is called with the outcome of each run', async () => {
  const outcomes: string[] = [];
  const functions = [
    client.createFunction({ id: 'good', triggers: [on('x/good')] }, () => null),
    client.createFunction({ id: 'bad', retries: 1, triggers: [on('x/bad')] }, () => Promise.reject(new Error('no'))),
    client.createFunction({ id: 'gone', triggers: [on('x/gone')], cancelOn: [{ event: 'x/stop' }] }, async ({ step }) =>
      step.sleep('long', '1h'),
    ),
  ];
  const onRun: EmbeddedExecutorOptions['onRun'] = (outcome, ms) =>
    outcomes.push(ms >= 0 ? outcome : `${outcome} ${ms}`);
  await start(functions, { onRun });
  await client.send(['x/good', 'x/bad', 'x/gone'].map((name) => ({ name, data: {} })));
  await vi.waitFor(() => expect(outcomes).toHaveLength(2), 60_000);
  await client.send({ name: 'x/stop', data: {} });
  await vi.waitFor(() => expect([...outcomes].sort()).toEqual(['cancelled', 'completed', 'failed']), 60_000);
});

test('an unsupported step fails the run at once, with its name', async () => {
  const target = client.createFunction({ id: 'target', triggers: [on('x/target')] }, () => null);
  const caller = client.createFunction({ id: 'caller', triggers: [on('x/call')] }, async ({ step }) => {
    await step.invoke('target', { function: target, data: { key: '' } });
  });
  const executor = await start([target, caller]);
  await client.send({ name: 'x/call', data: {} });
  await executor.idle();
  const [run] = await rows('SELECT status, output FROM local_inngest.runs');
  expect(run.status).toBe('failed');
  expect(run.output).toContain('step.invoke');
});

describe('events', () => {
  test('an id is deduplicated for 24 hours', async () => {
    let runs = 0;
    const fn = client.createFunction({ id: 'count', triggers: [on('x/y')] }, () => {
      runs += 1;
    });
    const executor = await start([fn]);
    const send = async () => {
      await client.send({ id: 'same', name: 'x/y', data: { key: '' } });
      await executor.idle();
    };
    await send();
    await send();
    expect(runs).toBe(1);
    await pool.query(`UPDATE local_inngest.events SET received_at = now() - interval '24 hours 1 second'`);
    await send();
    await send();
    expect(runs).toBe(2);
  });

  test('one that cannot be stored fails only its own sender', async () => {
    const ids: string[] = [];
    const fn = client.createFunction(
      { id: 'count', triggers: [on('x/y')] },
      ({ event }) => void ids.push(event.id ?? ''),
    );
    const executor = await start([fn]);
    const sent = await Promise.allSettled([
      client.send({ id: 'a', name: 'x/y', data: {} }),
      client.send({ id: 'NUL \u0000', name: 'x/y', data: {} }),
      client.send({ id: 'b'.repeat(501), name: 'x/y', data: {} }),
      client.send({ id: 'c', name: 'x/y', data: { text: '\u0000 \ud800 \u2028' } }),
    ]);
    expect(sent.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    await executor.idle();
    expect(ids.sort()).toEqual(['a', 'c']);
  });

  test('one that cannot be dispatched is skipped', async () => {
    const ids: string[] = [];
    const fn = client.createFunction(
      { id: 'count', triggers: [on('x/y')] },
      ({ event }) => void ids.push(event.id ?? ''),
    );
    await pool.query(`INSERT INTO local_inngest.events (id, name, body) VALUES ('bad', 'x/y', 'not JSON')`);
    await client.send(['1', '2', '3'].map((id) => ({ id, name: 'x/y', data: {} })));
    const executor = await start([fn]);
    await executor.idle();
    expect(ids.sort()).toEqual(['1', '2', '3']);
  });

  test('one that the database has no room for is dispatched later', async () => {
    const ids: string[] = [];
    const fn = client.createFunction(
      { id: 'count', triggers: [on('x/y')] },
      ({ event }) => void ids.push(event.id ?? ''),
    );
    const disk = await fillDisk('INSERT ON local_inngest.runs');
    await client.send(['1', '2'].map((id) => ({ id, name: 'x/y', data: {} })));
    const executor = await start([fn]);
    await until(async () => (await disk.refusals()) > 2);
    await disk.makeRoom();
    await executor.idle();
    expect(ids.sort()).toEqual(['1', '2']);
  });

  test('one ends all waits that it matches, each of them once', async () => {
    const found: unknown[] = [];
    const fn = client.createFunction({ id: 'wait', triggers: [on('x/wait')] }, async ({ event, step }) => {
      const answer = await step.waitForEvent('answer', { event: 'x/answer', match: 'data.key', timeout: '1h' });
      found.push([event.data.key, answer?.data.number]);
    });
    const executor = await start([fn]);
    await client.send(['a', 'a', 'b'].map((key) => ({ name: 'x/wait', data: { key } })));
    await executor.idle();
    await client.send([1, 2].map((number) => ({ name: 'x/answer', data: { key: 'a', number } })));
    await client.send({ name: 'x/answer', data: {} });
    await executor.idle();
    expect(found).toEqual([
      ['a', 1],
      ['a', 1],
    ]);
    expect(await rows('SELECT match_value FROM local_inngest.waits')).toEqual([{ match_value: '"b"' }]);
    expect(await rows('SELECT kind FROM local_inngest.jobs')).toEqual([{ kind: 'timeout' }]);
  });

  test('cancel in order: a later event cancels a run, an earlier one does not', async () => {
    const fn = client.createFunction(
      { id: 'cancel', triggers: [on('x/begin')], cancelOn: [{ event: 'x/begin', match: 'data.key' }] },
      async ({ step }) => step.sleep('long', '1h'),
    );
    await client.send(['a', 'b', 'a'].map((key) => ({ name: 'x/begin', data: { key } })));
    const executor = await start([fn]);
    await executor.idle();
    expect(await statuses()).toEqual(['cancelled', 'running', 'running']);
    await client.send({ name: 'x/begin', data: { key: 'a' } });
    await executor.idle();
    expect(await statuses()).toEqual(['cancelled', 'running', 'cancelled', 'running']);
    expect(await rows('SELECT run_id FROM local_inngest.jobs')).toHaveLength(2);
    expect(await rows('SELECT run_id FROM local_inngest.waits')).toHaveLength(2);
  });
});

describe('limits', () => {
  test('a key whose calls hang does not block the others', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const done: string[] = [];
    const fn = client.createFunction(
      { id: 'deliver', triggers: [on('x/y')], concurrency: [{ limit: 2, key: 'event.data.key' }, { limit: 4 }] },
      async ({ event, step }) => {
        await step.run('post', () => (event.data.key === 'hung' ? gate : undefined));
        done.push(event.data.key);
      },
    );
    const executor = await start([fn], { concurrency: 8 });
    await client.send(Array.from({ length: 150 }, () => ({ name: 'x/y', data: { key: 'hung' } })));
    const others = Array.from({ length: 100 }, (_, index) => `other ${index % 10}`);
    await client.send(others.map((key) => ({ name: 'x/y', data: { key } })));
    const end = Date.now() + 90_000;
    while (done.length < others.length && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
    expect([...done].sort()).toEqual([...others].sort());
    open();
    await executor.idle();
    expect(done).toHaveLength(250);
  });

  test.each([
    ['a fair queue', new FairQueue({ running: [1], waiting: 100, waitingOfOwner: 100 })],
    ['turns of batches', new BatchTurns()],
  ])('calls that wait for %s hold no place, and go on when it is their turn', async (_name, turns) => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const done: string[] = [];
    const work = async () => {
      await gate;
      return { full: false };
    };
    const heavy = client.createFunction({ id: 'heavy', triggers: [on('x/heavy')] }, async ({ event, step }) => {
      const { key } = event.data;
      const turn = { owner: key };
      await step.run('work', () => (turns instanceof FairQueue ? turns.run(turn, work) : turns.run(turn, work)));
      done.push(key);
    });
    const light = client.createFunction({ id: 'light', triggers: [on('x/light')] }, async ({ event, step }) => {
      await step.run('work', () => new Promise((resolve) => setTimeout(resolve, 1)));
      done.push(event.data.key);
    });
    const executor = await start([heavy, light], { concurrency: 3 });
    const heavies = Array.from({ length: 20 }, (_, index) => `heavy ${index}`);
    const lights = Array.from({ length: 20 }, (_, index) => `light ${index}`);
    await client.send(heavies.map((key) => ({ name: 'x/heavy', data: { key } })));
    await client.send(lights.map((key) => ({ name: 'x/light', data: { key } })));
    await until(async () => done.length === lights.length);
    expect([...done].sort()).toEqual([...lights].sort());
    open();
    await executor.idle();
    expect([...done].sort()).toEqual([...heavies, ...lights].sort());
  });

  test('jobs parked by a process that died are unparked', async () => {
    let runs = 0;
    const fn = client.createFunction({ id: 'one', triggers: [on('x/y')], concurrency: { limit: 1 } }, () => {
      runs += 1;
    });
    const first = await start([fn]);
    await client.send({ name: 'x/y', data: { key: '' } });
    await first.idle();
    await first.stop();
    await client.send([1, 2, 3].map(() => ({ name: 'x/y', data: { key: '' } })));
    const second = await start([fn], { concurrency: 0 });
    while ((await rows('SELECT FROM local_inngest.jobs')).length < 3) second.nudge();
    await second.stop();
    await pool.query(`UPDATE local_inngest.jobs SET parked_on = concurrency_keys[1]`);
    expect(await sweepParked(pool)).toBe(1);
    await (await start([fn])).idle();
    expect(runs).toBe(4);
  });
});

test('schedules: missed ticks are sent as one', async () => {
  let ticks = 0;
  const fn = client.createFunction({ id: 'tick', triggers: [{ cron: '0 0 1 1 *' }] }, ({ event }) => {
    ticks += 1;
    expect(event.name).toBe('inngest/scheduled.timer');
  });
  const executor = await start([fn]);
  await executor.idle();
  expect(ticks).toBe(0);
  await executor.stop();
  await pool.query(`UPDATE local_inngest.schedules SET next_at = now() - interval '3 days'`);
  await (await start([fn])).idle();
  expect(ticks).toBe(1);
  const [{ ahead }] = await rows(
    "SELECT next_at - now() BETWEEN interval '0' AND interval '366 days' AS ahead FROM local_inngest.schedules",
  );
  expect(ahead).toBe(true);
  await pool.query(`UPDATE local_inngest.schedules SET next_at = now() + interval '3 years'`);
  await start([fn]);
  const isSoon =
    "SELECT next_at - now() BETWEEN interval '0' AND interval '366 days' AS ahead FROM local_inngest.schedules";
  await expect.poll(async () => (await rows(isSoon))[0].ahead, { message: 'the clock had run ahead' }).toBe(true);
  expect(ticks).toBe(1);
  await start([client.createFunction({ id: 'tick', triggers: [{ cron: '0 0 * * *' }] }, () => null)]);
  expect(await rows('SELECT cron FROM local_inngest.schedules')).toEqual([{ cron: '0 0 * * *' }]);
});

test('schedules: a tick that comes again after the clock was set back is sent again', async () => {
  let ticks = 0;
  const fn = client.createFunction({ id: 'tick', triggers: [{ cron: '0 0 1 1 *' }] }, () => {
    ticks += 1;
  });
  await (await start([fn])).stop();
  for (const expected of [1, 2]) {
    await pool.query(`UPDATE local_inngest.schedules SET next_at = date_trunc('year', now())`);
    const executor = await start([fn]);
    await executor.idle();
    await executor.stop();
    expect(ticks).toBe(expected);
  }
});

test('retention deletes what ended long ago, in batches, and nothing that still runs', async () => {
  const fn = client.createFunction({ id: 'mixed', triggers: [on('x/y')] }, async ({ event, step }) => {
    if (event.data.sleeps) await step.sleep('long', '30d');
  });
  const executor = await start([fn]);
  await client.send([true, false, false, false, false].map((sleeps) => ({ name: 'x/y', data: { sleeps } })));
  await executor.idle();
  expect(await prune(pool)).toBe(false);
  expect(await statuses()).toHaveLength(5);
  await pool.query(`UPDATE local_inngest.events SET received_at = now() - interval '8 days'`);
  await pool.query(`UPDATE local_inngest.runs SET created_at = now() - interval '8 days',
      ended_at = ended_at - interval '8 days'`);
  expect(await prune(pool, 7, 3)).toBe(true);
  expect(await prune(pool, 7, 3)).toBe(false);
  expect(await statuses()).toEqual(['running']);
  expect(await rows('SELECT FROM local_inngest.events')).toHaveLength(0);
  await pool.query('UPDATE local_inngest.jobs SET at = now()');
  executor.nudge();
  await executor.idle();
  expect(await statuses()).toEqual(['completed']);
});

type Script = { name: string; failures: number } | Script[];
const leaf = fc.record({ name: fc.constant(''), failures: fc.nat(2) });
const script: fc.Arbitrary<Script[]> = fc.letrec<{ node: Script; list: Script[] }>((tie) => ({
  node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('list')),
  list: fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
})).list;

/** Names the steps. Entries of a list in a list run in parallel, their own entries in sequence. */
const number = (list: Script[], prefix = 's'): Script[] =>
  list.map((one, index) =>
    Array.isArray(one) ? number(one, `${prefix}.${index}`) : { ...one, name: `${prefix}.${index}` },
  );
const leaves = (list: Script[]): { name: string; failures: number }[] =>
  list.flatMap((one) => (Array.isArray(one) ? leaves(one) : [one]));

test('a function of sequential and parallel steps runs each step as often as it fails, and once more', async () => {
  const tries = new Map<string, number>();
  const results = new Map<string, string[]>();
  const fn = client.createFunction(
    { id: 'script', retries: 3, triggers: [on('x/script')] },
    async ({ event, step }) => {
      const { key } = event.data;
      const perform = async (node: Script, parallel: boolean): Promise<string[]> => {
        if (!Array.isArray(node)) {
          const made = await step.run(node.name, () => {
            const id = `${key} ${node.name}`;
            tries.set(id, (tries.get(id) ?? 0) + 1);
            if ((tries.get(id) ?? 0) <= node.failures) throw new Error('not yet');
            return node.name;
          });
          return [made];
        }
        if (parallel) return (await Promise.all(node.map((one) => perform(one, false)))).flat();
        const made: string[] = [];
        for (const one of node) made.push(...(await perform(one, true)));
        return made;
      };
      results.set(key, await perform(event.data.script as Script[], false));
    },
  );
  const executor = await start([fn]);
  await fc.assert(
    fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 6 }), async (scripts) => {
      const sent = scripts.map((one) => ({ name: 'x/script', data: { key: ulid(), script: number(one) } }));
      await client.send(sent);
      const end = Date.now() + 90_000;
      while (sent.some(({ data }) => !results.has(data.key)) && Date.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await executor.idle();
      for (const { data } of sent) {
        const expected = leaves(data.script);
        expect(results.get(data.key)).toEqual(expected.map((one) => one.name));
        for (const one of expected) expect(tries.get(`${data.key} ${one.name}`)).toBe(one.failures + 1);
      }
    }),
    { numRuns: 8 },
  );
  expect(await rows('SELECT FROM local_inngest.jobs')).toHaveLength(0);
});
