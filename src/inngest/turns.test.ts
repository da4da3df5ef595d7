import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeProject } from '@/test/factories';
import { changeInTurn } from './turns';

test('what is due in the projects of one account waits for itself, and not what is due in those of another', async () => {
  const [first, second, other] = [await makeProject(), await makeProject(), await makeProject()];
  await db.project.update({ where: { id: second.project.id }, data: { createdById: first.owner.id } });
  await db.project.update({ where: { id: first.project.id }, data: { createdById: first.owner.id } });
  const begun: string[] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
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
