import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeProject } from '@/test/factories';
import { askInTurn, changeInTurn } from './turns';

/** Work that goes on until it is released. */
function hold(): { held: Promise<void>; release: () => void } {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release };
}

test('what is due in the projects of one account waits for itself, and not what is due in those of another', async () => {
  const [first, second, other] = [await makeProject(), await makeProject(), await makeProject()];
  await db.project.update({ where: { id: second.project.id }, data: { createdById: first.owner.id } });
  await db.project.update({ where: { id: first.project.id }, data: { createdById: first.owner.id } });
  const begun: string[] = [];
  const { held, release } = hold();
  const change = ({ project }: typeof first, work: Promise<void> = Promise.resolve()) =>
    changeInTurn(project.id, async () => {
      begun.push(project.id);
      await work;
    });
  const waiting = [change(first, held)];
  await expect.poll(() => begun).toEqual([first.project.id]);
  waiting.push(change(second));
  await change(other);
  await change(other);
  expect(begun).toEqual([first.project.id, other.project.id, other.project.id]);
  release();
  await Promise.all(waiting);
  expect(begun.at(-1)).toBe(second.project.id);
});

test('what waits for something else, in the projects of several accounts, keeps nothing of others from being done', async () => {
  const { held, release } = hold();
  const projects = await Promise.all([makeProject(), makeProject(), makeProject()]);
  const waiting = projects.map(({ project }) => changeInTurn(project.id, () => held));
  expect(await changeInTurn((await makeProject()).project.id, async () => 'done')).toBe('done');
  release();
  await Promise.all(waiting);
});

/** Projects of so many accounts, all created from one block of addresses. */
async function makeBlock(count: number): Promise<string[]> {
  const made = await Promise.all(Array.from({ length: count }, () => makeProject()));
  const ids = made.map(({ project }) => project.id);
  await db.project.updateMany({ where: { id: { in: ids } }, data: { createdFrom: ids[0] } });
  return ids;
}

test('what is due in the projects of one block of addresses, of however many accounts, leaves room to others', async () => {
  const { held, release } = hold();
  let begun = 0;
  const change = async () => {
    begun += 1;
    await held;
  };
  const waiting = (await makeBlock(8)).map((id) => changeInTurn(id, change));
  await expect.poll(() => begun).toBe(3);
  for (const { project } of [await makeProject(), await makeProject()])
    expect(await changeInTurn(project.id, async () => 'done')).toBe('done');
  expect(begun).toBe(3);
  release();
  await Promise.all(waiting);
});

test.each(['provider', 'store'] as const)('questions to the %s of one block leave places to others', async (whom) => {
  const { held, release } = hold();
  const waiting = (await makeBlock(12)).flatMap((id) => [1, 2].map(() => askInTurn(whom, id, () => held)));
  expect(await askInTurn(whom, (await makeProject()).project.id, async () => 'done')).toBe('done');
  release();
  await Promise.all(waiting);
});
