import { describe, expect, it } from 'vitest';
import { db } from '@/server/db';
import { maxProjects, takeEvents } from '@/server/delivery/fan-out';
import { leaveForLater } from '@/server/delivery/later';
import { Turns } from '@/server/delivery/turns';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';

/** Receivers that have room for `free` deliveries in all, and soon for more. */
const prompt = (free: number) => ({ room: () => free, soon: () => true, sending: () => true });

describe('What can be sent soon waits unstored', () => {
  const at = new Date();
  const event = { projectId: 'prj', occurredAt: at, sentAt: at, attempted: null, webhooks: 1 };
  const sent = { subscriptionId: 'a', claim: true };
  const full = { subscriptionId: 'a', claim: false };
  const other = { subscriptionId: 'b', claim: true };
  type Case = [string, (typeof sent)[][], boolean[], { soon?: boolean; may?: boolean; changed?: object }?];
  it.each<Case>([
    ['behind what can be sent at once', [[sent], [full], [full]], [false, true, true]],
    ['not before what another one gets at once', [[full], [full, other], [full]], [false, false, true]],
    ['not what nobody gets', [[sent], [], [full]], [false, false, true]],
    ['not where its receiver takes its time', [[sent], [full]], [false, false], { soon: false }],
    ['not where that was in vain', [[sent], [full]], [false, false], { may: false }],
    ['not if it was claimed before', [[full]], [false], { changed: { attempted: {} } }],
    ['not for three seconds', [[full]], [false], { changed: { sentAt: new Date(+at + 3_000) } }],
    ['almost as long', [[full]], [true], { changed: { sentAt: new Date(+at + 2_999) } }],
    ['not without a project', [[full]], [false], { changed: { projectId: null } }],
  ])('%s', (_name, deliveries, expected, { soon = true, may = true, changed = {} } = {}) => {
    const events = deliveries.map((wanted) => ({ event: { ...event, ...changed }, wanted }));
    const { left, rests } = leaveForLater(events, { ...prompt(0), soon: () => soon }, () => may);
    expect(events.map((each) => left.has(each.event))).toEqual(expected);
    expect(rests).toHaveLength(expected.includes(true) ? 1 : 0);
  });

  it('until there is room, and briefly where other webhooks may get the next event', () => {
    const wanted = [full];
    const rest = (webhooks: number, free: number, soon = true, sending = true) => {
      let expected = true;
      const receivers = { room: () => free, soon: () => expected, sending: () => sending };
      const [found] = leaveForLater([{ event: { ...event, webhooks }, wanted }], receivers, () => true).rests;
      expected = soon;
      return { ms: found?.ms, over: found?.over() };
    };
    expect(rest(1, 63)).toEqual({ ms: 3_000, over: false });
    expect(rest(1, 64)).toEqual({ ms: 3_000, over: true });
    expect(rest(2, 0)).toEqual({ ms: 20, over: false });
    expect(rest(1, 0, false)).toEqual({ ms: 3_000, over: true });
    expect(rest(1, 0, true, false)).toEqual({ ms: 3_000, over: true });
  });
});

describe('A turn', () => {
  async function publish(events: number, settings = {}) {
    const { project } = await makeProject();
    const subscription = await makeSubscription(project.id, { url: 'http://127.0.0.1:9/', ...settings });
    const eventIds = await emitEvents(project.id, events);
    const stored = () => db.webhookDelivery.count({ where: { subscriptionId: subscription.id } });
    return { project, eventIds, stored };
  }
  const idsOf = ({ events }: Awaited<ReturnType<typeof takeEvents>>) => events.map(({ id }) => id);

  it('leaves events whose receiver has no room, and takes them in order as soon as it has', async () => {
    const { project, eventIds, stored } = await publish(100);
    let now = 0;
    let free = 20;
    const receivers = { room: () => free, soon: () => true, sending: () => true };
    const turns = new Turns(() => now);
    const first = await takeEvents(receivers, ['participant.registered'], turns);
    expect(idsOf(first)).toEqual(eventIds.slice(0, 20));
    expect(first.claimed.map(({ attempts }) => attempts.length)).toEqual([20]);
    expect(first.more).toBe(false);
    expect(turns.waits()).toBe(true);
    expect(await db.pendingEmail.count({ where: { eventId: { in: eventIds } } })).toBe(20);
    free = 0;
    expect(await takeEvents(receivers, [], turns)).toMatchObject({ events: [], more: false });
    expect(turns.hasRoom).toBe(false);
    const beside = await publish(1);
    const others = await takeEvents({ ...receivers, room: () => 1 }, [], turns);
    expect(idsOf(others)).toEqual(beside.eventIds);
    now += 2_000;
    free = 64;
    expect(turns.hasRoom).toBe(true);
    const second = await takeEvents(receivers, [], turns);
    expect(idsOf(second)).toEqual(eventIds.slice(20, 84));
    expect(await stored()).toBe(0);
    free = 0;
    // Their receiver answers no more: they are stored.
    now += 3_000;
    expect(turns.hasRoom).toBe(true);
    expect(idsOf(await takeEvents(receivers, [], turns))).toEqual(eventIds.slice(84));
    expect(await stored()).toBe(16);
    await db.pendingEvent.deleteMany({ where: { projectId: { in: [project.id, beside.project.id] } } });
  });

  it('comes to other projects, however many wait for room', async () => {
    const waiting: Awaited<ReturnType<typeof publish>>[] = [];
    for (let count = 0; count <= maxProjects; count += 1) waiting.push(await publish(2));
    const ids = waiting.map(({ project }) => project.id);
    // Publishing them may have taken longer than an event is left for.
    await db.domainEvent.updateMany({ where: { projectId: { in: ids } }, data: { occurredAt: new Date() } });
    const turns = new Turns(() => 0);
    const receivers = { room: () => 1, soon: () => true, sending: () => true };
    expect((await takeEvents(receivers, [], turns)).events).toHaveLength(maxProjects);
    expect((await takeEvents(receivers, [], turns)).events).toHaveLength(1);
    expect(ids.filter((id) => turns.mayLeave(id))).toEqual([]);
    const last = ids.toSorted().at(-1) ?? '';
    const beside = await publish(1);
    expect(beside.project.id > last).toBe(true);
    expect(idsOf(await takeEvents(receivers, [], turns))).toEqual(beside.eventIds);
    await db.pendingEvent.deleteMany({ where: { projectId: { in: ids } } });
  });

  it('leaves nothing where a subscription sends nothing', async () => {
    const { eventIds, stored } = await publish(60, { status: 'paused' });
    const turns = new Turns();
    const receivers = { room: () => 20, soon: () => true, sending: () => false };
    const first = await takeEvents(receivers, [], turns);
    expect(first).toMatchObject({ claimed: [], more: true });
    expect(turns.waits()).toBe(false);
    const second = await takeEvents(receivers, [], turns);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(eventIds);
    expect(await stored()).toBe(60);
  });
});
