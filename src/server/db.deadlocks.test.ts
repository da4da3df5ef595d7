import { afterAll, expect, test } from 'vitest';
import { afterCommit, closeDatabase, db, type Tx } from '@/server/db';
import { makeUser } from '@/test/factories';

afterAll(() => closeDatabase());

/** Two transactions that each rename one of two people and then the other, and meet in between. */
async function meet(rename: (tx: Tx, id: string, name: string) => Promise<unknown>) {
  const people = [await makeUser(), await makeUser()].map(({ id }) => id);
  let arrived = 0;
  let open: () => void = () => undefined;
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  const done: string[] = [];
  const work = (name: string, ids: string[]) =>
    db.$transaction(async (tx) => {
      afterCommit(tx, () => done.push(name));
      for (const id of ids) {
        await rename(tx, id, name);
        arrived += 1;
        if (arrived === 2) open();
        await both;
      }
    });
  await Promise.all([work('one', people), work('other', [...people].reverse())]);
  const rows = await db.user.findMany({ where: { id: { in: people } }, select: { name: true } });
  return { done, names: new Set(rows.map(({ name }) => name)) };
}

test.each([
  [
    'a statement of Prisma',
    (tx: Tx, id: string, name: string) => tx.user.updateMany({ where: { id }, data: { name } }),
  ],
  [
    'a statement of our own',
    (tx: Tx, id: string, name: string) => tx.$executeRaw`UPDATE "user" SET "name" = ${name} WHERE "id" = ${id}`,
  ],
])('of two transactions that wait for each other both succeed, one after the other: %s', async (_what, rename) => {
  const { done, names } = await meet(rename);
  expect(done.sort()).toEqual(['one', 'other']);
  expect(names.size).toBe(1);
});
