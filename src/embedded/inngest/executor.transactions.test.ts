import pg from 'pg';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { claimJobs, extendLeases, releaseLeases, sweepParked } from '@/embedded/inngest/claim';
import { commitAll } from '@/embedded/inngest/commit';
import { transaction } from '@/embedded/inngest/database';
import { dispatchEvents, indexTriggers } from '@/embedded/inngest/dispatch';
import { type LocalFunction, readFunctions } from '@/embedded/inngest/functions';
import { checkpointed, settled, type Transition } from '@/embedded/inngest/plan';
import { insertJobs, insertWaits } from '@/embedded/inngest/rows';
import { insertEvents, ownEvent } from '@/server/jobs/embedded/events';

/** The queue's transactions one by one, in the orders that races would give them. */

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });

const functions: LocalFunction[] = readFunctions([
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
    subs.map((sub) => ownEvent(name, { sub })),
    'test',
  );

const claim = async (owner: string, room: number, released: string[] = [], leaseMs = 60_000) =>
  (await claimJobs(pool, { owner, functionIds: ['fn'], room, leaseMs, released })).jobs;
type Job = Awaited<ReturnType<typeof claim>>[number];
const subOf = (job: Job): string => JSON.parse(job.event).data.sub;

const commit = async (owner: string, job: Job | undefined, transition: Transition) => {
  if (!job) throw new Error('There is no such job');
  const onTrouble = (error: unknown) => expect(error).toBeUndefined();
  const commits = [{ job, transition, hasCancels: true }];
  return (await commitAll(pool, owner, commits, onTrouble, new AbortController().signal))[0];
};
const ended: Transition = {
  ...settled('step'),
  finished: [],
  end: { status: 'completed', output: null },
};
const saved = checkpointed([{ id: 'saved', op: 'StepRun', data: 1 }]) ?? ended;
const runs = async () => (await pool.query('SELECT status, steps, pending FROM local_inngest.runs ORDER BY id')).rows;
const count = async (table: string) => (await pool.query(`SELECT FROM local_inngest.${table}`)).rowCount;

beforeEach(async () => {
  await pool.query('TRUNCATE local_inngest.events, local_inngest.runs, local_inngest.jobs, local_inngest.waits');
});
afterAll(() => pool.end());

test('a slot that one parked job cannot use goes to the next', async () => {
  await send('go', 'a', 'b', 'a', 'c');
  await dispatch();
  const [first, second] = await claim('me', 10);
  expect([first, second].map((job) => job && subOf(job))).toEqual(['a', 'b']);
  // The third waits for its own key, the fourth for the shared one. Put the third in that line too, in front.
  await pool.query(`UPDATE local_inngest.jobs SET parked_on = concurrency_keys[2] WHERE parked_on IS NOT NULL`);
  expect(await commit('me', second, ended)).toBe('applied');
  expect((await claim('me', 10, second?.keys)).map(subOf)).toEqual(['c']);
  expect(await commit('me', first, ended)).toBe('applied');
  expect((await claim('me', 10, first?.keys)).map(subOf)).toEqual(['a']);
});

test('slots that nobody handed on are found by the sweep', async () => {
  await send('go', 'a', 'a');
  await dispatch();
  const [job] = await claim('me', 10);
  await commit('me', job, ended);
  expect(await claim('other', 10)).toEqual([]);
  expect(await sweepParked(pool)).toBe(1);
  expect(await claim('other', 10)).toHaveLength(1);
});

test('a lost lease is taken over in its own slot, and counted', async () => {
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
  await commit('me', job, { ...settled('none'), finished: [], pending: ['wait'] });
  await transaction(pool, async (client) => {
    const match = { path: 'data.sub', value: '"a"', when: { afterMs: 60_000 } };
    await insertWaits(client, [{ runId, stepId: 'wait', eventName: 'answer', ...match }]);
    await insertJobs(client, [{ runId, kind: 'timeout', stepId: 'wait', when: { afterMs: 0 } }]);
  });
}

test('an event and a timeout at the same moment: the one that comes first settles the wait', async () => {
  await waitingRun();
  const [timeout] = await claim('me', 1);
  expect(timeout?.kind).toBe('timeout');
  await send('answer', 'a');
  await dispatch();
  expect(await commit('me', timeout, settled('wait'))).toBe('stale');
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

test('and the other way round', async () => {
  await waitingRun();
  const [timeout] = await claim('me', 1);
  await send('answer', 'a');
  expect(await commit('me', timeout, settled('wait'))).toBe('applied');
  await dispatch();
  expect(await runs()).toMatchObject([{ steps: '{"id":"wait","type":"data","data":null}\n', pending: '' }]);
  expect((await claim('me', 10)).map((job) => job.kind)).toEqual(['run']);
  expect(await count('jobs')).toBe(1);
});

test('a call under way when its run is cancelled changes nothing more', async () => {
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

test('a transition that PostgreSQL refuses fails its run, and not its neighbours', async () => {
  await send('go', 'a', 'b');
  await dispatch();
  const jobs = await claim('me', 2);
  const broken: Transition = {
    ...settled('x'),
    finished: [],
    parallel: null,
    spawn: [{ kind: 'run', stepId: '\0', when: { afterMs: 0 } }],
  };
  const commits = jobs.map((job, index) => ({ job, transition: index === 0 ? broken : ended, hasCancels: false }));
  const trouble: unknown[] = [];
  const results = await commitAll(pool, 'me', commits, (error) => trouble.push(error), new AbortController().signal);
  expect(results).toEqual(['stale', 'applied']);
  expect(trouble).toHaveLength(2);
  expect((await runs()).map((run) => run.status)).toEqual(['failed', 'completed']);
});
