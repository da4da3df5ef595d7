import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventType, Inngest, NonRetriableError, RetryAfterError, staticSchema } from 'inngest';
import { serve } from 'inngest/node';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedExecutor, startEmbeddedExecutor } from '@/embedded/inngest/executor';
import { createEmbeddedTransport } from '@/server/jobs/embedded/transport';

// Runs against the embedded executor. Against a real server: `npx inngest-cli dev --no-discovery`, then
// CONFORMANCE_SERVER=http://127.0.0.1:8288 npx vitest run src/embedded/inngest/executor.conformance.test.ts
// With keys (`inngest-cli start`), set CONFORMANCE_EVENT_KEY and CONFORMANCE_SIGNING_KEY too.

const server = process.env.CONFORMANCE_SERVER;
const connectionString = process.env.DATABASE_URL ?? '';
const transport = createEmbeddedTransport(() => connectionString);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const eventKey = process.env.CONFORMANCE_EVENT_KEY;
const signingKey = process.env.CONFORMANCE_SIGNING_KEY;
const client = new Inngest({
  id: `conformance-${process.pid}`,
  isDev: signingKey === undefined,
  logger: quiet,
  ...(server ? { baseUrl: server, eventKey, signingKey } : { fetch: transport.fetch }),
});
/** A server rounds the end of a sleep to the nearest second. */
const earlyMs = server ? 500 : 0;

type Data = { key: string; [name: string]: unknown };
const on = <Name extends string>(name: Name) => eventType(name, { schema: staticSchema<Data>() });

/** What functions recorded, by the key of their event. */
const notes = new Map<string, unknown[]>();
const note = (key: string, value: unknown) => notes.set(key, [...(notes.get(key) ?? []), value]);
const noted = (key: string) => notes.get(key) ?? [];

async function until(condition: () => boolean, ms = 90_000): Promise<void> {
  const end = Date.now() + ms;
  while (!condition() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Waits long enough for an event that must not happen. */
const settle = () => (executor ? executor.idle() : new Promise<void>((resolve) => setTimeout(resolve, 3000)));

/** Sends one event with a key of its own and waits for `count` notes. */
async function notesOf(name: string, count: number, data: Record<string, unknown> = {}): Promise<unknown[]> {
  const key = ulid();
  await client.send({ name, data: { ...data, key } });
  await until(() => noted(key).length >= count);
  await settle();
  return noted(key);
}

const sequence = client.createFunction({ id: 'sequence', triggers: [on('c/sequence')] }, async ({ event, step }) => {
  const { key } = event.data;
  const one = await step.run('one', () => {
    note(key, 'one');
    return { value: 1, absent: undefined, text: 'NUL \u0000, ü' };
  });
  const two = await step.run('two', () => {
    note(key, 'two');
    return one.value + 1;
  });
  await step.run('three', () => note(key, { one, two }));
});

const nothing = client.createFunction({ id: 'nothing', triggers: [on('c/nothing')] }, async ({ event, step }) => {
  const value = await step.run('undefined', () => undefined);
  await step.run('note', () => note(event.data.key, value));
});

const again = client.createFunction({ id: 'again', triggers: [on('c/again')] }, async ({ event, step }) => {
  const sum: number[] = [];
  for (let index = 0; index < 4; index += 1) sum.push(await step.run('same', () => index * 10));
  await step.run('note', () => note(event.data.key, sum));
});

const sleeper = client.createFunction({ id: 'sleeper', triggers: [on('c/sleep')] }, async ({ event, step }) => {
  const { key } = event.data;
  const begin = await step.run('begin', () => Date.now());
  await step.sleep('nap', '1s');
  const middle = await step.run('middle', () => Date.now());
  await step.sleepUntil('until', new Date(begin + 2500));
  await step.sleepUntil('past', new Date(begin - 1000));
  await step.run('note', () => note(key, [middle - begin, Date.now() - begin]));
});

const waiter = client.createFunction({ id: 'waiter', triggers: [on('c/wait')] }, async ({ event, step }) => {
  const { key, timeout } = event.data;
  await step.run('ready', () => note(key, 'ready'));
  const answer = await step.waitForEvent('answer', {
    event: 'c/answer',
    match: 'data.key',
    timeout: String(timeout),
  });
  await step.run('note', () => note(key, answer === null ? null : answer.data.says));
});

const opener = client.createFunction({ id: 'opener', triggers: [on('c/breaker')] }, async ({ event, step }) => {
  const { key } = event.data;
  for (let round = 0; round < 5; round += 1) {
    const open = await step.run(`check-${round}`, () => {
      note(key, 'check');
      return noted(key).filter((one) => one === 'check').length < 3;
    });
    if (!open) break;
    await step.waitForEvent(`closed-${round}`, { event: 'c/closed', match: 'data.key', timeout: '60s' });
  }
  await step.run('note', () => note(key, 'closed'));
});

const sender = client.createFunction({ id: 'sender', triggers: [on('c/send')] }, async ({ event, step }) => {
  const { key } = event.data;
  const sent = await step.sendEvent('forward', [
    { name: 'c/sent', data: { key, number: 1 } },
    { name: 'c/sent', data: { key, number: 2 } },
  ]);
  await step.run('note', () => note(key, sent.ids.length));
});
const received = client.createFunction({ id: 'received', triggers: [on('c/sent')] }, async ({ event, step }) => {
  await step.run('note', () => note(event.data.key, `number ${event.data.number}`));
});

const stubborn = client.createFunction(
  { id: 'stubborn', retries: 3, triggers: [on('c/retry')] },
  async ({ event, step, attempt }) => {
    const { key } = event.data;
    await step.run('before', () => note(key, 'before'));
    await step.run('stubborn', () => {
      note(key, `step ${attempt}`);
      if (attempt < 2) throw new RetryAfterError('not yet', '1s');
    });
    if (noted(key).filter((one) => one === 'outside').length < 1) {
      note(key, 'outside');
      throw new RetryAfterError('not yet', '1s');
    }
    await step.run('note', () => note(key, 'end'));
  },
);

const final = client.createFunction(
  {
    id: 'final',
    retries: 3,
    triggers: [on('c/final')],
    onFailure: async ({ event, error, step }) => {
      const original = event.data.event.data;
      const runId = typeof event.data.run_id;
      await step.run('failed', () => note(original.key, { error: error.message, runId, kept: original.extra }));
    },
  },
  async ({ event }) => {
    note(event.data.key, 'tried');
    throw new NonRetriableError('never again');
  },
);

const exhausted = client.createFunction(
  {
    id: 'exhausted',
    retries: 1,
    triggers: [on('c/exhausted')],
    onFailure: ({ event, error }) => void note(event.data.event.data.key, error.message),
  },
  async ({ event, step, attempt }) => {
    await step.run('fail', () => {
      note(event.data.key, attempt);
      throw new RetryAfterError('worn out', '1s');
    });
  },
);

const catcher = client.createFunction(
  { id: 'catcher', retries: 0, triggers: [on('c/catch')] },
  async ({ event, step }) => {
    const caught = await step
      .run('fail', (): string => {
        throw new TypeError('broken');
      })
      .catch((error: Error) => error.message);
    await step.run('note', () => note(event.data.key, caught));
  },
);

const parallel = client.createFunction({ id: 'parallel', triggers: [on('c/parallel')] }, async ({ event, step }) => {
  const { key } = event.data;
  const chain = async (name: string) => {
    const first = await step.run(`${name}-1`, () => {
      note(key, `${name}-1`);
      return name;
    });
    return step.run(`${name}-2`, () => {
      note(key, `${name}-2`);
      return `${first}!`;
    });
  };
  const results = await Promise.all([
    chain('a'),
    chain('b'),
    step.sleep('nap', '1s'),
    step.waitForEvent('never', { event: 'c/never', timeout: '1s' }),
    step.run('fail', () => Promise.reject(new NonRetriableError('c'))).catch((error: Error) => error.message),
  ]);
  await step.run('note', () =>
    note(
      key,
      results.map((result) => result ?? null),
    ),
  );
  await step.run('after', () => note(key, 'after'));
});

const running = new Map<string, { now: number; most: number }>();
async function occupy(name: string, ms: number): Promise<void> {
  const entry = running.get(name) ?? { now: 0, most: 0 };
  running.set(name, entry);
  entry.now += 1;
  entry.most = Math.max(entry.most, entry.now);
  await new Promise((resolve) => setTimeout(resolve, ms));
  entry.now -= 1;
}
const limited = client.createFunction(
  { id: 'limited', triggers: [on('c/limited')], concurrency: [{ limit: 2, key: 'event.data.group' }, { limit: 5 }] },
  async ({ event, step }) => {
    const { key, group } = event.data;
    await step.run('work', () => Promise.all([occupy(`group ${group}`, 100), occupy('all', 100)]).then(() => null));
    await step.run('note', () => note(key, group));
  },
);

const cancellable = client.createFunction(
  { id: 'cancellable', triggers: [on('c/cancellable')], cancelOn: [{ event: 'c/cancel', match: 'data.key' }] },
  async ({ event, step }) => {
    await step.run('begin', () => note(event.data.key, 'begin'));
    await step.sleep('nap', '8s');
    await step.run('end', () => note(event.data.key, 'end'));
  },
);

const once = client.createFunction(
  { id: 'once', triggers: [on('c/once')], idempotency: 'event.data.order' },
  async ({ event, step }) => {
    await step.run('note', () => note(event.data.key, event.data.order));
  },
);

const picky = client.createFunction(
  { id: 'picky', triggers: [{ event: on('c/picky'), if: "event.data.kind == 'good'" }, { event: on('c/other') }] },
  async ({ event, step }) => {
    await step.run('note', () => note(event.data.key, [event.name, event.data.kind ?? null]));
  },
);

const functions = [
  ...[sequence, nothing, again, sleeper, waiter, opener, sender, received, stubborn, final, exhausted, catcher],
  ...[parallel, limited, cancellable, once, picky],
];

let executor: EmbeddedExecutor | null = null;
let http: Server | null = null;

beforeAll(async () => {
  if (server) {
    http = createServer(serve({ client, functions })).listen(0, '127.0.0.1');
    await new Promise((resolve) => http?.once('listening', resolve));
    const { port } = http.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/api/inngest`, { method: 'PUT' });
    expect(await answer.json()).toMatchObject({ message: 'Successfully registered' });
    return;
  }
  const options = { connectionString, client, transport, functions, logger: quiet, backoff: () => 20 };
  executor = await startEmbeddedExecutor(options);
});

afterAll(async () => {
  await executor?.stop();
  await transport.close();
  http?.close();
});

test.concurrent('steps run once each, in order, and return their results unchanged', async () => {
  expect(await notesOf('c/sequence', 3)).toEqual(['one', 'two', { one: { value: 1, text: 'NUL \u0000, ü' }, two: 2 }]);
});

test.concurrent('a step without a result returns null', async () => {
  expect(await notesOf('c/nothing', 1)).toEqual([null]);
});

test.concurrent('a step name can be reused in a loop', async () => {
  expect(await notesOf('c/again', 1)).toEqual([[0, 10, 20, 30]]);
});

test.concurrent('sleeps last as long as they say, but for rounding, and end at once for a time in the past', async () => {
  const [[nap, whole]] = (await notesOf('c/sleep', 1)) as [[number, number]];
  expect(nap).toBeGreaterThanOrEqual(1000 - earlyMs);
  expect(whole).toBeGreaterThanOrEqual(2500 - earlyMs);
  if (!server) expect(whole).toBeLessThan(30_000);
});

test.concurrent('a wait ends with an event of the same key, not of another one', async () => {
  const key = ulid();
  await client.send({ name: 'c/wait', data: { key, timeout: '120s' } });
  await until(() => noted(key).includes('ready'));
  await settle();
  await client.send({ name: 'c/answer', data: { key: ulid(), says: 'wrong' } });
  await settle();
  expect(noted(key)).toEqual(['ready']);
  await client.send({ name: 'c/answer', data: { key, says: 'right' } });
  await until(() => noted(key).length === 2);
  expect(noted(key)).toEqual(['ready', 'right']);
});

test.concurrent('a wait that times out returns null', async () => {
  expect(await notesOf('c/wait', 2, { timeout: '1s' })).toEqual(['ready', null]);
});

test.concurrent('a function can check, wait and check again', async () => {
  const key = ulid();
  await client.send({ name: 'c/breaker', data: { key } });
  for (const round of [1, 2]) {
    await until(() => noted(key).length === round);
    await settle();
    await client.send({ name: 'c/closed', data: { key } });
  }
  await until(() => noted(key).length === 4);
  expect(noted(key)).toEqual(['check', 'check', 'check', 'closed']);
});

test.concurrent('events sent from a step start other functions', async () => {
  const found = await notesOf('c/send', 3);
  expect(new Set(found)).toEqual(new Set([2, 'number 1', 'number 2']));
});

test.concurrent('a failing step is retried with its attempt number, and finished steps are not', async () => {
  expect(await notesOf('c/retry', 6)).toEqual(['before', 'step 0', 'step 1', 'step 2', 'outside', 'end']);
});

test.concurrent('a non-retriable error fails the run at once and calls onFailure', async () => {
  const found = await notesOf('c/final', 2, { extra: { deep: [1] } });
  expect(found).toEqual(['tried', { error: 'never again', runId: 'string', kept: { deep: [1] } }]);
});

test.concurrent('after the last attempt the run fails', async () => {
  expect(await notesOf('c/exhausted', 3)).toEqual([0, 1, 'worn out']);
});

test.concurrent('the error of a step that failed for good can be caught', async () => {
  expect(await notesOf('c/catch', 1)).toEqual(['broken']);
});

test.concurrent('parallel steps: chains, a sleep, a wait and a failure', async () => {
  const found = await notesOf('c/parallel', 6);
  expect(found.slice(-2)).toEqual([['a!', 'b!', null, null, 'c'], 'after']);
  expect(found.slice(0, -2).sort()).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
});

test.concurrent('concurrency limits hold, by key and in total', async () => {
  const keys = Array.from({ length: 40 }, () => ulid());
  await client.send(keys.map((key, index) => ({ name: 'c/limited', data: { key, group: index % 4 } })));
  await until(() => keys.every((key) => noted(key).length === 1));
  expect(keys.map((key) => noted(key))).toEqual(keys.map((_, index) => [index % 4]));
  for (const group of [0, 1, 2, 3]) expect(running.get(`group ${group}`)?.most).toBeLessThanOrEqual(2);
  expect(running.get('all')?.most).toBeLessThanOrEqual(5);
  expect(running.get('all')?.most).toBeGreaterThan(2);
});

test.concurrent('an event cancels the runs with the same value', async () => {
  const [gone, kept] = [ulid(), ulid()];
  await client.send([gone, kept].map((key) => ({ name: 'c/cancellable', data: { key } })));
  await until(() => noted(gone).length === 1 && noted(kept).length === 1);
  await client.send({ name: 'c/cancel', data: { key: gone } });
  await until(() => noted(kept).length === 2);
  await settle();
  expect([noted(gone), noted(kept)]).toEqual([['begin'], ['begin', 'end']]);
});

test.concurrent('a second event with the same id is dropped', async () => {
  const key = ulid();
  await client.send({ id: key, name: 'c/nothing', data: { key } });
  await client.send([1, 2, 3].map(() => ({ id: key, name: 'c/nothing', data: { key } })));
  await until(() => noted(key).length >= 1);
  await settle();
  expect(noted(key)).toEqual([null]);
});

test.concurrent('a function with idempotency runs once for each value', async () => {
  const [key, order] = [ulid(), ulid()];
  await client.send([order, order, `${order}-2`].map((value) => ({ name: 'c/once', data: { key, order: value } })));
  await client.send({ name: 'c/once', data: { key, order } });
  await until(() => noted(key).length >= 2);
  await settle();
  expect(new Set(noted(key))).toEqual(new Set([order, `${order}-2`]));
  expect(noted(key)).toHaveLength(2);
});

test.concurrent('a condition on a trigger filters events', async () => {
  const key = ulid();
  await client.send([
    { name: 'c/picky', data: { key, kind: 'bad' } },
    { name: 'c/picky', data: { key, kind: 'good' } },
    { name: 'c/other', data: { key } },
  ]);
  await until(() => noted(key).length >= 2);
  await settle();
  expect(new Set(noted(key).map(String))).toEqual(new Set(['c/picky,good', 'c/other,']));
});
