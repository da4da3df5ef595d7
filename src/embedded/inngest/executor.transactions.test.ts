import pg from 'pg';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { claimJobs, extendLeases, releaseLeases, sweepParked } from '@/embedded/inngest/claim';
import { commitAll } from '@/embedded/inngest/commit';
import { transaction } from '@/embedded/inngest/database';
import { dispatchEvents, indexTriggers } from '@/embedded/inngest/dispatch';
import { type FunctionConfig, readFunctions } from '@/embedded/inngest/functions';
import { checkpointedSteps, settledStep, type Transition } from '@/embedded/inngest/plan';
import { insertJobs, insertWaits } from '@/embedded/inngest/rows';
import { insertEvents, internalEvent } from '@/server/jobs/embedded/events';

/** The transactions of the queue one by one, in the orders that concurrent processes can cause. */

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });

const functions: FunctionConfig[] = readFunctions([
  {
    id: 'fn',
    triggers: [{ event: 'go' }],
    concurrency: [{ limit: 1, key: 'event.data.sub' }, { limit: 2 }],
    cancel: [{ event: 'stop', if: 'event.data.sub == async.data.sub' }],
  },
]);
const byId = new Map(functions.map((fn) => [fn.id, fn]));
const dispatch = () => dispatchEvents(pool, indexTriggers(functions), byId, 100);
const send = (name: string, ...subs: string[]) =>
  insertEvents(
    pool,
    subs.map((sub) => internalEvent(name, { sub })),
    'test',
  );

const claim = async (owner: string, limit: number, released: string[] = [], leaseMs = 60_000) =>
  (await claimJobs(pool, { owner, functionIds: ['fn'], limit, leaseMs, released })).jobs;
type Job = Awaited<ReturnType<typeof claim>>[number];
const subOf = (job: Job): string => JSON.parse(job.event).data.sub;

const commit = async (owner: string, job: Job | undefined, transition: Transition) => {
  if (!job) throw new Error('There is no such job');
  const onError = (error: unknown) => expect(error).toBeUndefined();
  const commits = [{ job, transition, hasCancels: true }];
  return (await commitAll(pool, owner, commits, onError, new AbortController().signal))[0];
};
const ended: Transition = {
  ...settledStep('step'),
  finished: [],
  end: { status: 'completed', output: null },
};
const saved = checkpointedSteps([{ id: 'saved', op: 'StepRun', data: 1 }]) ?? ended;
const runs = async () => (await pool.query('SELECT status, steps, pending FROM local_inngest.runs ORDER BY id')).rows;
const count = async (table: string) => (await pool.query(`SELECT FROM local_inngest.${table}`)).rowCount;

beforeEach(async () => {
  await pool.query('TRUNCATE local_inngest.events, local_inngest.runs, local_inngest.jobs, local_inngest.waits');
});
afterAll(() => pool.end());

test('a slot that one parked job cannot use goes to the next one', async () => {
  await send('go', 'a', 'b', 'a', 'c');
  await dispatch();
  const [first, second] = await claim('me', 10);
  expect([first, second].map((job) => job && subOf(job))).toEqual(['a', 'b']);
  // The third is parked on its own key, the fourth on the shared one. Park the third on the shared key too, in front.
  await pool.query(`UPDATE local_inngest.jobs SET parked_on = concurrency_keys[2] WHERE parked_on IS NOT NULL`);
  expect(await commit('me', second, ended)).toBe('applied');
  expect((await claim('me', 10, second?.keys)).map(subOf)).toEqual(['c']);
  expect(await commit('me', first, ended)).toBe('applied');
  expect((await claim('me', 10, first?.keys)).map(subOf)).toEqual(['a']);
});

test('the sweep finds released slots that no process reused', async () => {
  await send('go', 'a', 'a');
  await dispatch();
  const [job] = await claim('me', 10);
  await commit('me', job, ended);
  expect(await claim('other', 10)).toEqual([]);
  expect(await sweepParked(pool)).toBe(1);
  expect(await claim('other', 10)).toHaveLength(1);
});

test('an expired lease is taken over in its own slot, and counted', async () => {
  await send('go', 'a');
  await dispatch();
  const [job] = await claim('me', 1, [], 0);
  const [again] = await claim('other', 1);
  expect([again?.id, again?.lost, again?.generation]).toEqual([job?.id, 1, 2]);
  expect(await commit('me', job, saved)).toBe('stale');
  expect((await extendLeases(pool, 'me', [job?.id ?? ''], 1000)).size).toBe(0);
  expect(await commit('other', again, saved)).toBe('applied');
  expect(await releaseLeases(pool, 'other')).toBe(1);
  expect(await commit('other', again, ended)).toBe('stale');
  expect(await runs()).toMatchObject([{ status: 'running', steps: '{"id":"saved","type":"data","data":1}\n' }]);
});

async function waitingRun(): Promise<void> {
  await send('go', 'a');
  await dispatch();
  const [job] = await claim('me', 1);
  const runId = job?.runId ?? '';
  await commit('me', job, { ...settledStep('none'), finished: [], pending: ['wait'] });
  await transaction(pool, async (client) => {
    const match = { path: 'data.sub', value: '"a"', when: { afterMs: 60_000 } };
    await insertWaits(client, [{ runId, stepId: 'wait', eventName: 'answer', ...match }]);
    await insertJobs(client, [{ runId, kind: 'timeout', stepId: 'wait', when: { afterMs: 0 } }]);
  });
}

test('an event that is dispatched before the timeout commits ends the wait', async () => {
  await waitingRun();
  const [timeout] = await claim('me', 1);
  expect(timeout?.kind).toBe('timeout');
  await send('answer', 'a');
  await dispatch();
  expect(await commit('me', timeout, settledStep('wait'))).toBe('stale');
  const [run] = await runs();
  expect(
    run.steps
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line).data.name),
  ).toEqual(['answer']);
  expect((await claim('me', 10)).map((job) => job.kind)).toEqual(['run']);
  expect(await count('jobs')).toBe(1);
});

test('a timeout that commits before the event is dispatched ends the wait', async () => {
  await waitingRun();
  const [timeout] = await claim('me', 1);
  await send('answer', 'a');
  expect(await commit('me', timeout, settledStep('wait'))).toBe('applied');
  await dispatch();
  expect(await runs()).toMatchObject([{ steps: '{"id":"wait","type":"data","data":null}\n', pending: '' }]);
  expect((await claim('me', 10)).map((job) => job.kind)).toEqual(['run']);
  expect(await count('jobs')).toBe(1);
});

test('a call that ends after its run was cancelled changes nothing', async () => {
  await send('go', 'a');
  await dispatch();
  const [job] = await claim('me', 1);
  await send('stop', 'a');
  expect((await dispatch()).cancelled).toHaveLength(1);
  expect(await commit('me', job, saved)).toBe('stale');
  expect(await commit('me', job, ended)).toBe('stale');
  expect(await runs()).toMatchObject([{ status: 'cancelled', steps: '' }]);
  expect([await count('jobs'), await count('waits')]).toEqual([0, 0]);
});

test('a transition that PostgreSQL rejects fails its own run and no other', async () => {
  await send('go', 'a', 'b');
  await dispatch();
  const jobs = await claim('me', 2);
  const broken: Transition = {
    ...settledStep('x'),
    finished: [],
    parallel: null,
    spawn: [{ kind: 'run', stepId: '\0', when: { afterMs: 0 } }],
  };
  const commits = jobs.map((job, index) => ({ job, transition: index === 0 ? broken : ended, hasCancels: false }));
  const errors: unknown[] = [];
  const results = await commitAll(pool, 'me', commits, (error) => errors.push(error), new AbortController().signal);
  expect(results).toEqual(['stale', 'applied']);
  expect(errors).toHaveLength(2);
  expect((await runs()).map((run) => run.status)).toEqual(['failed', 'completed']);
});
