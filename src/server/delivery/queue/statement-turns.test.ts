import { expect, it } from 'vitest';
import { readQueue } from '@/server/delivery/queue/queue';
import { StatementTurns } from '@/server/delivery/queue/statement-turns';
import { makeProject, makeSubscription } from '@/test/factories';

const url = 'https://receiver.test/hook';

it('the queue of one project waits for none of the hundred of another', async () => {
  const [busy, quiet] = await Promise.all([makeProject(), makeProject()]);
  const { id: alone } = await makeSubscription(quiet.project.id, { url });
  const many = await Promise.all(Array.from({ length: 100 }, () => makeSubscription(busy.project.id, { url })));
  const queues = [...many.map(({ id }) => id), alone];
  // From then on it is known whose they are.
  await Promise.all(queues.map(readQueue));
  const ended: string[] = [];
  await Promise.all(queues.map((queue) => readQueue(queue).then(() => ended.push(queue))));
  expect(ended).toHaveLength(101);
  // Those that were under way before it may end before it.
  expect(ended.indexOf(alone)).toBeLessThan(10);
});

it('a project that had nothing to do goes behind nobody, and makes up for nothing', async () => {
  let now = 0;
  const turns = new StatementTurns(1, () => now);
  const order: string[] = [];
  const run = (queue: string, count: number) =>
    Array.from({ length: count }, () =>
      turns.run(queue, async () => {
        order.push(queue);
        now += 100;
        await new Promise((resolve) => setImmediate(resolve));
      }),
    );
  const early = run('early', 6);
  await early[1];
  await Promise.all([...early, ...run('late', 2)]);
  expect(order).toEqual(['early', 'early', 'early', 'late', 'early', 'late', 'early', 'early']);
});

it('many projects of one person go behind the first of another', async () => {
  let now = 0;
  const turns = new StatementTurns(1, () => now);
  const order: string[] = [];
  const run = (projectId: string, turn: string) => {
    turns.belongs(projectId, { projectId, turn });
    return turns.run(projectId, async () => {
      order.push(projectId);
      now += 100;
      await new Promise((resolve) => setImmediate(resolve));
    });
  };
  const many = ['a', 'b', 'c', 'd'].map((project) => run(project, 'one'));
  await Promise.all([...many, run('other', 'another')]);
  expect(order).toEqual(['a', 'other', 'b', 'c', 'd']);
});
