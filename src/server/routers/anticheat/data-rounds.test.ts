import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { setupTestServer } from '@/test/server';
import { injector, setupAntiCheat } from './anticheat.fixture';
import { evaluateOpen } from './data-evaluation';
import { EvaluationRounds, findOpenSessions } from './data-rounds';

const server = setupTestServer();

/** An account with so many sessions in each of its projects. */
async function setupAccount(counts: readonly number[]) {
  const sessionIds: string[] = [];
  let account = '';
  for (const count of counts) {
    const { project, owner, enroll, start } = await setupAntiCheat(server);
    account ||= owner.id;
    await db.project.update({ where: { id: project.id }, data: { createdById: account } });
    const client = await enroll();
    for (let started = 0; started < count; started += 1) sessionIds.push((await start()).sessionId);
    await client.report(injector(1));
  }
  const readSessions = async () => (await findOpenSessions(10_000)).filter(({ owner }) => owner === account);
  const countEvaluated = async () => {
    const rows = await db.detection.groupBy({ by: ['sessionId'], where: { sessionId: { in: sessionIds } } });
    return rows.length;
  };
  return { account, sessionIds, readSessions, countEvaluated };
}

/** Rounds on a clock that only evaluations move on. @returns with the sessions that were evaluated, in order */
function roundsWithCosts(costOf: (sessionId: string) => number) {
  const evaluated: string[] = [];
  let ms = 0;
  const evaluate = async (sessionId: string) => {
    evaluated.push(sessionId);
    ms += costOf(sessionId);
    return await evaluateOpen(sessionId);
  };
  return { evaluated, rounds: new EvaluationRounds(evaluate, () => ms) };
}

test("an account's costly sessions delay each other, and not those of another account", async () => {
  const busy = await setupAccount([4, 4, 4]);
  const calm = await setupAccount([5]);
  const { evaluated, rounds } = roundsWithCosts((id) => (busy.sessionIds.includes(id) ? 40 : 1));
  const isOf =
    ({ sessionIds }: typeof busy) =>
    (id: string) =>
      sessionIds.includes(id);
  const readOpen = async () => (await findOpenSessions(10_000)).filter(({ id }) => isOf(busy)(id) || isOf(calm)(id));

  await rounds.run(await readOpen(), 100);
  expect(await calm.countEvaluated()).toBe(5);
  expect(await busy.countEvaluated()).toBe(3);

  // Not even one of them fits into a round: they come last.
  for (let round = 0; round < 3; round += 1) {
    evaluated.length = 0;
    await rounds.run(await readOpen(), 20);
    expect(evaluated.slice(0, 5).every(isOf(calm))).toBe(true);
    expect(evaluated.slice(5).map(isOf(busy))).toEqual([true]);
  }
});

test('an account whose sessions always take longer than a round is evaluated all the same', async () => {
  const [one, other] = [await setupAccount([3]), await setupAccount([3])];
  const { evaluated, rounds } = roundsWithCosts(() => 40);
  for (let round = 0; round < 6; round += 1) {
    await rounds.run([...(await one.readSessions()), ...(await other.readSessions())], 20);
  }
  expect(evaluated.filter((id) => one.sessionIds.includes(id))).toHaveLength(3);
  expect(evaluated.filter((id) => other.sessionIds.includes(id))).toHaveLength(3);
});

test('open sessions are listed in turns of accounts, and of an account in turns of its projects', async () => {
  const busy = await setupAccount([2, 2]);
  const calm = await setupAccount([4]);
  const open = (await findOpenSessions(10_000)).filter(({ owner }) => [busy.account, calm.account].includes(owner));
  expect(open).toHaveLength(8);
  for (const place of [0, 2, 4, 6]) {
    expect(new Set(open.slice(place, place + 2).map(({ owner }) => owner)).size).toBe(2);
  }
  const ofBusy = open.filter(({ owner }) => owner === busy.account).map(({ id }) => id);
  const first = new Set(busy.sessionIds.slice(0, 2));
  expect(ofBusy.slice(0, 2).filter((id) => first.has(id))).toHaveLength(1);
});

test('a block has one turn with all of its accounts, which take turns in it', async () => {
  const shared = [await setupAccount([4]), await setupAccount([4]), await setupAccount([4])];
  const calm = await setupAccount([4]);
  const accounts = shared.map(({ account }) => account);
  await db.project.updateMany({ where: { createdById: { in: accounts } }, data: { createdFrom: accounts[0] } });
  const isOf =
    ({ account }: typeof calm) =>
    ({ owner }: { owner: string }) =>
      owner === account;
  const open = (await findOpenSessions(10_000)).filter((one) => [...shared, calm].some((each) => isOf(each)(one)));
  // Of every two in the list one is of the block, so that a list cut short leaves out neither.
  for (const place of [0, 2, 4, 6]) expect(open.slice(place, place + 2).filter(isOf(calm))).toHaveLength(1);

  const { evaluated, rounds } = roundsWithCosts(() => 10);
  await rounds.run(open, 75);
  const ownerOf = new Map(open.map(({ id, owner }) => [id, owner]));
  const owners = evaluated.map((id) => ownerOf.get(id) ?? '');
  expect(owners).toHaveLength(8);
  expect(owners.filter((owner) => owner === calm.account)).toHaveLength(4);
  expect(new Set(owners)).toEqual(new Set([...accounts, calm.account]));
});
