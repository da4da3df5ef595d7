import { expect, it } from 'vitest';
import { db } from '@/server/db';
import { findStalledQueues } from '@/server/delivery/queue/queue';
import { makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';

it('many stalled queues of a project hide none of another', async () => {
  const stalledOf = async (count: number) => {
    const { project } = await makeProject();
    const [eventId = ''] = await emitEvents(project.id, 1);
    const made = [];
    for (let index = 0; index < count; index += 1) {
      const subscription = await makeSubscription(project.id, { url: 'http://127.0.0.1:9/' });
      await makeDeliveries(subscription, [eventId], { nextAttemptAt: new Date(Date.now() - 60_000) });
      made.push(subscription.id);
    }
    return made;
  };
  const many = await stalledOf(3);
  const [other] = await stalledOf(1);
  expect(await findStalledQueues(20, 4)).toHaveLength(4);
  expect(many).toHaveLength(3);
  expect(await findStalledQueues(20, 2)).toContain(other);
  expect(await db.webhookDelivery.count()).toBe(4);
});
