import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { db, pool } from '@/server/db';
import { refuse } from '@/server/errors';
import { pauseBetweenSteps } from '@/server/http/json-shape';
import { changeInTurn, readInTurn } from '@/server/http/turns/turns';
import { letOthersIn } from '@/server/limits/thread-meter';
import { sizeOfBody } from '@/server/worker/fair-queue';
import { doPiece } from '@/server/worker/pieces';
import { occupy } from '@/test/processor';
import { bytesPerMs, freeBytes } from './pace';

let addresses = 0;
/** Somebody at an address of a block of their own. */
function someone(): { ip: string; caller: string } {
  addresses += 1;
  return { ip: `198.18.${addresses}.1`, caller: '' };
}

/** Has the database send so many bytes. */
const load = (bytes: number) => db.$queryRaw`SELECT repeat('x', ${bytes}::int)`;

/** Work that is counted while it runs and ends when the test ends it. */
function counted() {
  const ends: (() => void)[] = [];
  let running = 0;
  const work = async () => {
    running += 1;
    await new Promise<void>((resolve) => ends.push(resolve));
    running -= 1;
  };
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  return { work, endAll, running: () => running };
}

/** Lets everything begin that may. */
async function settle(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await setImmediate();
}

/** Reads so much twice at once that it is expected of the caller. */
const readLarge = (from: Parameters<typeof readInTurn>[0]) =>
  Promise.all([readInTurn(from, () => load(large)), readInTurn(from, () => load(large))]);

const large = freeBytes + 200 * bytesPerMs;
const ordinary = freeBytes / 2;

test('who read little has several reads at a time, however many they were', async () => {
  const from = someone();
  for (let read = 0; read < 40; read += 1) await readInTurn(from, async () => undefined);
  await readInTurn(from, () => load(ordinary));
  const { work, endAll, running } = counted();
  const reads = Array.from({ length: 4 }, () => readInTurn(from, work));
  await expect.poll(running).toBe(4);
  endAll();
  await Promise.all(reads);
});

for (const [name, inTurn] of [
  ['reads', readInTurn],
  ['changes', changeInTurn],
] as const) {
  test(`after a large read, ${name} of the same caller begin one after the other, and others' at once`, async () => {
    const from = someone();
    await readLarge(from);
    const { work, endAll, running } = counted();
    const waiting = Array.from({ length: 6 }, () => inTurn(from, work));
    await expect.poll(running).toBe(1);
    await settle();
    expect(running()).toBe(1);
    const other = counted();
    const others = Array.from({ length: 2 }, () => inTurn({ ...from, caller: 'an account' }, other.work));
    const elsewhere = Array.from({ length: 2 }, () => inTurn(someone(), other.work));
    await expect.poll(other.running).toBe(4);
    other.endAll();
    await Promise.all([...others, ...elsewhere]);
    for (let left = waiting.length; left > 0; left -= 1) {
      await expect.poll(running).toBe(1);
      endAll();
    }
    await Promise.all(waiting);
  });
}

test('one read that took long alone is not expected again', async () => {
  const from = someone();
  await readInTurn(from, () => load(freeBytes + 50 * bytesPerMs));
  const { work, endAll, running } = counted();
  const reads = Array.from({ length: 4 }, () => readInTurn(from, work));
  await expect.poll(running).toBe(4);
  endAll();
  await Promise.all(reads);
});

test('many middling reads have no more at once than one large one', async () => {
  const from = someone();
  const middling = freeBytes + 30 * bytesPerMs;
  for (let read = 0; read < 5; read += 1) await readInTurn(from, () => load(middling));
  const { work, endAll, running } = counted();
  const reads = Array.from({ length: 3 }, () => readInTurn(from, work));
  await expect.poll(running).toBe(1);
  await settle();
  expect(running()).toBe(1);
  for (let left = reads.length; left > 0; left -= 1) {
    await expect.poll(running).toBe(1);
    endAll();
  }
  await Promise.all(reads);
});

test('what waits in front of turns learns what others took meanwhile, and begins one after the other too', async () => {
  const project = ['block', 'account', `project ${addresses}`] as const;
  const from = { ...someone(), project };
  const { work, endAll, running } = counted();
  const holding = Array.from({ length: 4 }, () => readInTurn(from, work));
  await expect.poll(running).toBe(4);
  let most = 0;
  let loading = 0;
  const reads = Array.from({ length: 8 }, () =>
    readInTurn(from, async () => {
      loading += 1;
      most = Math.max(most, loading);
      await load(large);
      loading -= 1;
    }),
  );
  endAll();
  await Promise.all([...holding, ...reads]);
  // The first four begin before anybody can know.
  expect(most).toBe(4);
  most = 0;
  await Promise.all(
    Array.from({ length: 4 }, () =>
      readInTurn(from, async () => {
        loading += 1;
        most = Math.max(most, loading);
        await load(large);
        loading -= 1;
      }),
    ),
  );
  expect(most).toBe(1);
});

test('the next large read begins after the caller has rested, and the response does not wait for that', async () => {
  const from = someone();
  await readLarge(from);
  const began = performance.now();
  await readInTurn(from, () => load(large));
  await readInTurn(from, () => load(freeBytes));
  // Three times 200 ms. What is computed in between takes no less.
  expect(performance.now() - began).toBeGreaterThan(590);
});

/** Two reads of a caller begin one after the other. */
async function expectOneByOne(from: ReturnType<typeof someone>): Promise<void> {
  const { work, endAll, running } = counted();
  const waiting = Array.from({ length: 2 }, () => readInTurn(from, work));
  await expect.poll(running).toBe(1);
  await settle();
  expect(running()).toBe(1);
  endAll();
  await expect.poll(running).toBe(1);
  endAll();
  await Promise.all(waiting);
}

test('statements in transactions and of the pool itself count', async () => {
  for (const read of [
    () => db.$transaction((tx) => tx.$queryRaw`SELECT repeat('x', ${large}::int)`),
    () => pool.query("SELECT repeat('x', $1::int)", [large]),
  ]) {
    const from = someone();
    await Promise.all([readInTurn(from, read), readInTurn(from, read)]);
    await expectOneByOne(from);
  }
});

test('bodies that wait for their payer are bounded', async () => {
  const from = someone();
  await readLarge(from);
  const { work, endAll, running } = counted();
  const body = { ...from, size: sizeOfBody(1024 * 1024) };
  const outcomes: string[] = [];
  const changes = Array.from({ length: 40 }, () =>
    changeInTurn(body, work).then(
      () => outcomes.push('done'),
      ({ reason }) => outcomes.push(reason),
    ),
  );
  await expect.poll(running).toBe(1);
  await settle();
  // 30 MiB wait.
  expect(outcomes).toEqual(Array(9).fill('OVERLOADED'));
  for (let left = 31; left > 0; left -= 1) {
    await expect.poll(running).toBe(1);
    endAll();
  }
  await Promise.all(changes);
});

test('failures reach who asked, and who has gone waits no longer', async () => {
  const from = someone();
  const failing = () => load(large).then(() => Promise.reject(refuse('NOT_FOUND')));
  for (let read = 0; read < 3; read += 1) {
    await expect(readInTurn(from, failing)).rejects.toMatchObject(refuse('NOT_FOUND'));
  }
  const { work, endAll, running } = counted();
  const first = readInTurn(from, work);
  const gone = new AbortController();
  const second = readInTurn({ ...from, signal: gone.signal }, work);
  await expect.poll(running).toBe(1);
  gone.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  endAll();
  await first;
});

for (const [name, compute] of [
  ['computed after the database has answered', () => load(1).then(() => occupy(150))],
  [
    'computed in a transaction',
    () =>
      db.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT 1`;
        occupy(150);
      }),
  ],
  ['computed at once', async () => occupy(150)],
  [
    'computed after others were let in',
    () =>
      load(1)
        .then(letOthersIn)
        .then(() => occupy(150)),
  ],
  ['computed between two steps of a body', () => pauseBetweenSteps(Buffer.alloc(32_768)).then(() => occupy(150))],
  ['computed as a piece', () => doPiece('a project', () => occupy(150))],
  ['computed after a piece', () => doPiece('a project', () => occupy(2)).then(() => occupy(150))],
] as const) {
  test(`what is ${name} counts, and what others compute meanwhile does not`, async () => {
    const [from, other] = [someone(), someone()];
    const pieces = Array.from({ length: 3 }, () => readInTurn(other, () => doPiece('another', () => undefined)));
    const rounds = Array.from({ length: 3 }, () => readInTurn(other, letOthersIn));
    const waiting = [readInTurn(other, () => db.$queryRaw`SELECT pg_sleep(0.1)::text`), ...pieces, ...rounds];
    await Promise.all([readInTurn(from, compute), readInTurn(from, compute)]);
    await Promise.all(waiting);
    const { work, endAll, running } = counted();
    const own = Array.from({ length: 2 }, () => readInTurn(from, work));
    await expect.poll(running).toBe(1);
    await settle();
    expect(running()).toBe(1);
    endAll();
    await expect.poll(running).toBe(1);
    const others = Array.from({ length: 2 }, () => readInTurn(other, work));
    await expect.poll(running).toBe(3);
    endAll();
    await Promise.all([...own, ...others]);
  });
}

test('what is computed after something that is ready counts', async () => {
  const from = someone();
  for (let read = 0; read < 2; read += 1) await readInTurn(from, () => Promise.resolve().then(() => occupy(150)));
  await expectOneByOne(from);
});

test('what a caller does beside, and others of the block, do not wait for the large reads', async () => {
  const from = someone();
  const large1 = { ...from, kinds: ['feed'] };
  await readLarge(large1);
  const { work, endAll, running } = counted();
  const waiting = Array.from({ length: 3 }, () => readInTurn(large1, work));
  await expect.poll(running).toBe(1);
  const beside = counted();
  const neighbour = { ip: from.ip.replace(/1$/, '2'), caller: '' };
  const besides = [
    readInTurn({ ...from, kinds: ['list'] }, beside.work),
    changeInTurn({ ...from, kinds: ['sign-in'] }, beside.work),
    readInTurn({ ...neighbour, kinds: ['feed'] }, beside.work),
  ];
  await expect.poll(beside.running).toBe(3);
  expect(running()).toBe(1);
  beside.endAll();
  await Promise.all(besides);
  // In a batch with what is large it waits, too.
  const batch = readInTurn({ ...from, kinds: ['list', 'feed'] }, beside.work);
  await settle();
  expect(beside.running()).toBe(0);
  for (let left = waiting.length; left > 0; left -= 1) {
    await expect.poll(running).toBe(1);
    endAll();
  }
  await expect.poll(beside.running).toBe(1);
  beside.endAll();
  await Promise.all([...waiting, batch]);
});

test('of those who pay together, who asks for something else does not wait for what others read', async () => {
  const from = someone();
  await readInTurn({ ...from, target: 'short' }, async () => undefined);
  await readLarge({ ...from, target: 'long' });
  const [long, unknown, short] = [counted(), counted(), counted()];
  const waiting = [
    ...Array.from({ length: 3 }, () => readInTurn({ ...from, target: 'long' }, long.work)),
    ...Array.from({ length: 3 }, (_, at) => readInTurn({ ...from, target: `unknown ${at}` }, unknown.work)),
    readInTurn({ ...from, target: 'short' }, short.work),
  ];
  const running = () => [long, unknown, short].map((of) => of.running());
  await expect.poll(running, { timeout: 5_000 }).toEqual([1, 1, 1]);
  await settle();
  expect(running()).toEqual([1, 1, 1]);
  short.endAll();
  for (let left = 3; left > 0; left -= 1) {
    await expect.poll(running, { timeout: 5_000 }).toEqual([1, 1, 0]);
    long.endAll();
    unknown.endAll();
  }
  await Promise.all(waiting);
});

test('keys of a project take turns, and who asks for something else does not wait for what they read', async () => {
  const project = ['block', 'account', `project of ${addresses}`] as const;
  const key = (caller: string) => ({ ...someone(), caller, project });
  const [staff, own] = [key('key of staff'), key('own key')];
  await readInTurn({ ...own, target: 'short' }, async () => undefined);
  await readLarge({ ...staff, target: 'long' });
  const [long, short] = [counted(), counted()];
  const order: string[] = [];
  const readLong = (from: typeof own, name: string) =>
    readInTurn({ ...from, target: 'long' }, long.work).then(() => order.push(name));
  const waiting = [
    ...Array.from({ length: 4 }, () => readLong(staff, 'staff')),
    readLong(own, 'own'),
    readInTurn({ ...own, target: 'short' }, short.work),
  ];
  await expect.poll(() => [long.running(), short.running()], { timeout: 5_000 }).toEqual([1, 1]);
  short.endAll();
  for (let left = 5; left > 0; left -= 1) {
    await expect.poll(long.running, { timeout: 5_000 }).toBe(1);
    await settle();
    expect(long.running()).toBe(1);
    long.endAll();
  }
  await Promise.all(waiting);
  // The second read of the staff's key waits before the first of the own one does.
  expect(order).toEqual(['staff', 'staff', 'own', 'staff', 'staff']);
});

test('what waits because nobody had asked for it learns that it takes long, and lets others pass', async () => {
  const from = someone();
  await readLarge({ ...from, target: 'long' });
  const ends = Array.from({ length: 6 }, () => new AbortController());
  let done = 0;
  const flood = ends.map(({ signal }) =>
    readInTurn({ ...from, target: 'another', signal }, () => load(large)).then(() => {
      done += 1;
    }),
  );
  await readInTurn({ ...from, target: 'unknown' }, async () => undefined);
  expect(done).toBeLessThan(6);
  for (const end of ends) end.abort();
  await Promise.allSettled(flood);
});

test('an account pays alone: what it reads is done one after the other, whatever it asks for', async () => {
  const from = { ...someone(), caller: 'one account' };
  await readInTurn({ ...from, target: 'short' }, async () => undefined);
  await readLarge({ ...from, target: 'long' });
  const { work, endAll, running } = counted();
  const waiting = ['long', 'short', 'unknown'].map((target) => readInTurn({ ...from, target }, work));
  for (let left = waiting.length; left > 0; left -= 1) {
    await expect.poll(running).toBe(1);
    await settle();
    expect(running()).toBe(1);
    endAll();
  }
  await Promise.all(waiting);
});

test('of the large reads of several owners, one is done at a time', async () => {
  const all = Array.from({ length: 4 }, () => someone());
  for (const from of all) await readLarge(from);
  const { work, endAll, running } = counted();
  const waiting = all.map((from) => readInTurn(from, work));
  await expect.poll(running).toBe(1);
  await settle();
  expect(running()).toBe(1);
  for (let left = waiting.length; left > 0; left -= 1) {
    await expect.poll(running).toBe(1);
    endAll();
  }
  await Promise.all(waiting);
});
