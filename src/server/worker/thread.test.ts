import { threadId as ownThread } from 'node:worker_threads';
import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { stepsOf } from '@/domain/network/address-ranges';
import { registry } from '@/server/metrics';
import { niceness } from '@/test/niceness';
import { bundledWorker } from '@/test/thread';
import { type Asking, type WorkerOptions, WorkerThread, WorkerThreads, type WorkerTurn } from './thread';

const threads: WorkerThread[] = [];
afterEach(() => Promise.all(threads.splice(0).map((thread) => thread.stop())));

let options: WorkerOptions;
beforeAll(async () => {
  options = await bundledWorker(new URL('./thread.fixture.ts', import.meta.url));
});

function makeThread(idleMs?: number) {
  const thread = new WorkerThread({ ...options, idleMs });
  threads.push(thread);
  return thread;
}

test('it starts with its first work, and answers from another thread', async () => {
  const thread = makeThread();
  expect(thread.isRunning).toBe(false);
  const answer = await thread.run({ owner: 'a' }, 'name', { some: ['input'] });
  expect(answer).toEqual({ threadId: expect.any(Number), input: { some: ['input'] } });
  expect(answer).not.toMatchObject({ threadId: ownThread });
  const { body } = (await thread.run({ owner: 'a' }, 'bytes', 'text')) as { body: Uint8Array };
  expect(new TextDecoder().decode(body)).toBe('text');
});

test.each<[string, (at: number) => Omit<Asking, 'use'>]>([
  ['from a block', (at) => ({ ip: `192.0.2.${at}` })],
  [
    'with keys of projects of a block',
    (at) => ({ ip: `192.0.${at}.1`, project: ['block', `account ${at}`, `project ${at}`] }),
  ],
])('who asks %s for the draws of many projects at once does not have a turn for each of them', async (_, from) => {
  const thread = new WorkerThreads(options);
  onTestFinished(() => thread.stop());
  const answered: string[] = [];
  const ask = async (owner: string, from: Omit<Asking, 'use'>) => {
    await thread.run({ owner, from: { ...from, use: 'read' } }, 'name', null);
    answered.push(owner);
  };
  const many = Array.from({ length: 12 }, (_, number) => ask(`project ${number}`, from(number)));
  await Promise.all([...many, ask('another', { ip: '198.51.100.1' })]);
  expect(answered).toHaveLength(13);
  expect(answered.indexOf('another')).toBeLessThan(7);
});

test('one account leaves a place of its block to others, those behind its own address too', async () => {
  const thread = new WorkerThreads(options);
  onTestFinished(() => thread.stop());
  const gone = new AbortController();
  const { signal } = gone;
  const ask = (name: string, ip: string, caller: string[], turn: Partial<WorkerTurn> = {}) =>
    thread.run({ owner: `${caller}`, caller, from: { ip, use: 'read' }, ...turn }, name, null);
  const held = ['a', 'b', 'c'].map((owner) =>
    ask('silence', '192.0.2.1', ['account'], { owner, signal }).catch((error: Error) => error.message),
  );
  for (const caller of [['neighbor'], stepsOf('192.0.2.1')]) {
    expect(await ask('name', '192.0.2.1', caller)).toMatchObject({ input: null });
  }
  expect(await ask('name', '192.0.2.2', ['neighbor'])).toMatchObject({ input: null });
  gone.abort();
  await expect(ask('end', '198.51.100.1', ['another'])).rejects.toThrow('has ended');
  const [first, ...others] = await Promise.all(held);
  expect(first).toContain('has ended');
  expect(new Set(others)).toEqual(new Set(['This operation was aborted']));
}, 8_000);

test('nothing begins beside a change', async () => {
  const thread = makeThread();
  const read = (owner: string) => thread.run({ owner, from: { ip: '192.0.2.1', use: 'read' } }, 'compute', null);
  const begun = await thread.run({ owner: 'a' }, 'name', null);
  const reads = ['b', 'c', 'd', 'e'].map(read);
  const change = thread.run({ owner: 'f', from: { ip: '198.51.100.1', use: 'change' } }, 'change', null);
  const more = ['g', 'h'].map(read);
  // At most the twenty rounds of the one read that runs with it.
  expect(await change).toBeLessThanOrEqual(20);
  await Promise.all([begun, ...reads, ...more]);
});

test('work that waits for something else does not keep others from beginning for long', async () => {
  const thread = makeThread();
  const waiting = ['a', 'b'].map((owner) =>
    thread.run({ owner }, 'silence', null).catch((error: Error) => error.message),
  );
  expect(await thread.run({ owner: 'c' }, 'name', 1)).toMatchObject({ input: 1 });
  await expect(thread.run({ owner: 'd' }, 'end', null)).rejects.toThrow('has ended');
  expect(await Promise.all(waiting)).toEqual(['The worker thread has ended', 'The worker thread has ended']);
});

test('changes that wait for something else make room long before they end', async () => {
  const thread = makeThread();
  const change = (owner: string, name: string) => thread.run({ owner, from: { ip: owner, use: 'change' } }, name, null);
  await change('198.51.100.1', 'name');
  const waiting = Array.from({ length: 5 }, (_, at) =>
    change(`192.0.${at}.1`, 'silence').catch((error: Error) => error.message),
  );
  expect(await change('198.51.100.1', 'change')).toBe(0);
  await expect(change('198.51.100.1', 'end')).rejects.toThrow('has ended');
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['The worker thread has ended']));
}, 8_000);

/** Both threads, and a read that tells in which of them it was done. */
function makeBoth() {
  const both = new WorkerThreads(options);
  onTestFinished(() => both.stop());
  return async (ip: string, name: 'busy' | 'wait', ms: number, turn: Partial<WorkerTurn> = {}) => {
    const from = { ip, use: 'read' } as const;
    return ((await both.run({ owner: 'a', from, ...turn }, name, ms)) as { threadId: number }).threadId;
  };
}
const usual = '198.51.100.1';

test('a block of addresses that has used more than its share goes on in the other thread', async () => {
  const ask = makeBoth();
  const quick = await ask(usual, 'wait', 0);
  const many = await Promise.all(Array.from({ length: 12 }, (_, last) => ask(`192.0.2.${last}`, 'busy', 300)));
  expect(many.filter((thread) => thread === quick).length, 'asked for before any had ended').toBeLessThan(8);
  expect(await ask(usual, 'wait', 0)).toBe(quick);
});

test('who waits while others compute has not used what they use', async () => {
  const ask = makeBoth();
  const quick = await ask(usual, 'wait', 0);
  const waiting = ask(usual, 'wait', 10);
  await Promise.all([waiting, ask('192.0.2.1', 'busy', 1_500)]);
  expect(await ask(usual, 'wait', 0)).toBe(quick);
  expect(await ask('192.0.2.1', 'wait', 0)).toBe(quick);
  await ask('192.0.2.1', 'busy', 1_500);
  expect(await ask('192.0.2.1', 'wait', 0)).not.toBe(quick);
});

test('what takes long is not done in the quick thread', async () => {
  const ask = makeBoth();
  const quick = await ask(usual, 'wait', 0);
  expect(await ask(usual, 'wait', 0, { isLong: true })).not.toBe(quick);
  expect(await ask(usual, 'wait', 0)).toBe(quick);
});

test('of what takes long only at worst, a block does little in the quick thread', async () => {
  const ask = makeBoth();
  const quick = await ask(usual, 'wait', 0);
  const atWorst = { isLong: 'at worst' } as const;
  expect(await ask(usual, 'busy', 600, atWorst)).toBe(quick);
  expect(await ask(usual, 'wait', 0, atWorst)).not.toBe(quick);
  expect(await ask('192.0.2.1', 'wait', 0, atWorst)).toBe(quick);
  expect(await ask(usual, 'wait', 0), 'what it may use for the rest').toBe(quick);
});

test('of what takes long only at worst, a block does one piece at a time in the quick thread', async () => {
  const thread = makeThread();
  const read = (owner: string, ip: string, name: string) =>
    thread.run({ owner, isLong: 'at worst', from: { ip, use: 'read' } }, name, null);
  await read('a', '192.0.2.1', 'name');
  const begun = read('b', '192.0.2.1', 'compute');
  // It tells how often others computed meanwhile.
  expect(await read('c', '192.0.2.2', 'change')).toBe(0);
  await begun;
});

test('pieces of the slow thread do not share it', async () => {
  const both = new WorkerThreads(options);
  onTestFinished(() => both.stop());
  const run = (owner: string, ip: string, name: string) =>
    both.run({ owner, isLong: true, from: { ip, use: 'read' } }, name, null);
  const begun = run('a', usual, 'name');
  const reads = ['b', 'c', 'd'].map((owner) => run(owner, '192.0.2.1', 'compute'));
  // It tells how often others computed meanwhile.
  expect(await run('e', usual, 'change')).toBe(0);
  await Promise.all([begun, ...reads]);
});

test.runIf(process.platform === 'linux')('the slow thread, and no other, yields its processor', async () => {
  const before = Math.max(...(await niceness()));
  const ask = makeBoth();
  await ask(usual, 'wait', 0);
  expect(Math.max(...(await niceness()))).toBe(before);
  await ask(usual, 'wait', 0, { isLong: true });
  expect((await niceness()).filter((each) => each > before)).toHaveLength(1);
});

test('what nobody asks for themselves counts for its owner, and delays no other', async () => {
  const ask = makeBoth();
  const quick = await ask(usual, 'wait', 0);
  const ofNobody = { from: undefined };
  await ask(usual, 'busy', 1_500, { ...ofNobody, owner: 'b' });
  expect(await ask(usual, 'wait', 0, { ...ofNobody, owner: 'b' })).not.toBe(quick);
  expect(await ask(usual, 'wait', 0, { ...ofNobody, owner: 'c' })).toBe(quick);
});

test('an error says what it said there', async () => {
  const failing = makeThread().run({ owner: 'a' }, 'fail', { match: 1 });
  await expect(failing).rejects.toMatchObject({ name: 'TypeError', message: 'cannot do {"match":1}' });
});

test('when it ends, only what it was doing fails, and the next work starts another', async () => {
  const thread = makeThread();
  const before = (await thread.run({ owner: 'a' }, 'name', null)) as { threadId: number };
  await expect(thread.run({ owner: 'a' }, 'end', null)).rejects.toThrow('The worker thread has ended');
  const after = (await thread.run({ owner: 'a' }, 'name', null)) as { threadId: number };
  expect(after.threadId).not.toBe(before.threadId);
});

test('it ends when it has nothing to do, and starts again', async () => {
  const thread = makeThread(10);
  await thread.run({ owner: 'a' }, 'name', null);
  await expect.poll(() => thread.isRunning).toBe(false);
  expect(await thread.run({ owner: 'a' }, 'name', 1)).toMatchObject({ input: 1 });
});

test('what is counted there counts in the metrics of the process', async () => {
  const counted = async () =>
    (await registry.getSingleMetric('laurel_quota_exceeded_total')?.get())?.values[0]?.value ?? 0;
  const before = await counted();
  const thread = makeThread();
  await thread.run({ owner: 'a' }, 'count', null);
  await thread.run({ owner: 'a' }, 'count', null);
  expect(await counted()).toBe(before + 2);
});
