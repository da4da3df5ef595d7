import { expect, it } from 'vitest';
import { db } from '@/server/db';
import { findStalledQueues } from '@/server/delivery/queue/queue';
import { makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';

it('many stalled queues of one block of addresses hide none of another, whatever the projects', async () => {
  const stalledOf = async (createdFrom: string) => {
    const { project } = await makeProject();
    await db.project.update({ where: { id: project.id }, data: { createdFrom }, select: { id: true } });
    const [eventId = ''] = await emitEvents(project.id, 1);
    const subscription = await makeSubscription(project.id, { url: 'http://127.0.0.1:9/' });
    await makeDeliveries(subscription, [eventId], { nextAttemptAt: new Date(Date.now() - 60_000) });
    return subscription.id;
  };
  const many = [];
  for (let index = 0; index < 12; index += 1) many.push(await stalledOf('block'));
  const other = await stalledOf('another block');
  expect((await findStalledQueues(20, 13)).sort()).toEqual([...many, other].sort());
  // Among those whose turn it is, the order is random.
  for (let time = 0; time < 8; time += 1) expect(await findStalledQueues(20, 2)).toContain(other);
});
