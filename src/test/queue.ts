import { onTestFinished } from 'vitest';
import { db } from '@/server/db';
import { takeEvents } from '@/server/delivery/fan-out';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { type Respond, startReceiver } from '@/test/receiver';
import { withRoom } from '@/test/room';

/** A receiver that closes when the test ends. */
export async function openReceiver(answer?: Respond) {
  const target = await startReceiver(answer);
  onTestFinished(() => target.close());
  return target;
}

/** Makes the deliveries of events and claims none. @returns the subscriptions that have something to send */
export async function fanOut(eventIds: string[]): Promise<string[]> {
  const due = new Set<string>();
  while ((await db.pendingEvent.count({ where: { eventId: { in: eventIds } } })) > 0) {
    for (const subscriptionId of (await takeEvents(withRoom(0), [])).due) due.add(subscriptionId);
  }
  return [...due];
}

type Settings = Omit<Parameters<typeof makeSubscription>[1], 'url'>;

/** A receiver, a subscription to it in its own project, and `count` events that were fanned out and are pending. */
export async function makeQueue(settings: Settings, count: number, answer?: Respond) {
  const { project } = await makeProject();
  const target = await openReceiver(answer);
  const subscription = await makeSubscription(project.id, { url: target.url, ...settings });
  const more = async (events: number) => {
    const eventIds = await emitEvents(project.id, events);
    await fanOut(eventIds);
    return eventIds;
  };
  const eventIds = count > 0 ? await more(count) : [];
  return {
    project,
    target,
    subscription,
    eventIds,
    /** Emits and fans out more events. */
    more,
    row: () => db.webhookSubscription.findUniqueOrThrow({ where: { id: subscription.id } }),
    set: (data: Settings) => db.webhookSubscription.update({ where: { id: subscription.id }, data }),
    /** The number of deliveries in each status, such as `{ 'held breaker': 3 }`. */
    async counts() {
      const rows = await db.webhookDelivery.groupBy({
        by: ['status', 'heldReason'],
        where: { subscriptionId: subscription.id },
        _count: true,
      });
      return Object.fromEntries(
        rows.map((row) => [[row.status, row.heldReason].filter(Boolean).join(' '), row._count]),
      );
    },
    attempts: () =>
      db.webhookAttempt.findMany({
        where: { delivery: { subscriptionId: subscription.id } },
        orderBy: [{ startedAt: 'asc' }, { id: 'asc' }],
      }),
  };
}
