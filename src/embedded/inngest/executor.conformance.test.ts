import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from 'inngest/node';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedExecutor, startEmbeddedExecutor } from '@/embedded/inngest/executor';
import {
  client,
  connectionString,
  functions,
  noted,
  quiet,
  running,
  server,
  transport,
} from '@/embedded/inngest/executor.conformance.fixture';

// Runs against the embedded executor. Against a real server: `npx inngest-cli dev --no-discovery`, then
// CONFORMANCE_SERVER=http://127.0.0.1:8288 npx vitest run src/embedded/inngest/executor.conformance.test.ts
// With keys (`inngest-cli start`), set CONFORMANCE_EVENT_KEY and CONFORMANCE_SIGNING_KEY too.

/** A server rounds the end of a sleep to the nearest second. */
const earlyMs = server ? 500 : 0;

let executor: EmbeddedExecutor | null = null;
let http: Server | null = null;

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
