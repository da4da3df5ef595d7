import { describe, expect, it, test } from 'vitest';
import { db, pool } from '@/server/db';
import { completeAttempts } from '@/server/delivery/attempts/complete';
import { freeLostEvents, storeReleased } from '@/server/delivery/attempts/unstored';
import { drainQueue } from '@/server/delivery/drain-queue';
import { maxProjects, takeEvents } from '@/server/delivery/fan-out';
import { storeEveryMs, Turns } from '@/server/delivery/turns';
import { emit, systemActor } from '@/server/events/emit';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { makeQueue } from '@/test/queue';
import { withRoom } from '@/test/room';
import { countRowsRead, watchStatements } from '@/test/statements';

describe('filters', () => {
  const about = { tournamentId: 'trn_01k9x2m4c8r5t7v9w0y1z2a3b4', userId: 'usr_01k9x1k3b7q4s6t8v9w0x1y2z3' };
  it.each([
    ['no filters', null, 5],
    ['an empty set', {}, 5],
    ['its tournament', { tournamentIds: [about.tournamentId] }, 5],
    ['another tournament', { tournamentIds: ['trn_other'] }, 0],
    ['its user', { userIds: [about.userId] }, 5],
    ['another user', { userIds: ['usr_other'] }, 0],
    ['its kind', { aggregateTypes: ['participant', 'match'] }, 5],
    ['another kind', { aggregateTypes: ['match'] }, 0],
    [
      'a condition that one event meets',
      { conditions: [{ field: 'payload.name', operator: 'eq', value: 'Player 3' }] },
      1,
    ],
    [
      'conditions that must all hold',
      {
        aggregateTypes: ['participant'],
        conditions: [
          { field: 'payload.name', operator: 'in', value: ['Player 2', 'Player 3', 'Player 9'] },
          { field: 'payload.name', operator: 'ne', value: 'Player 3' },
          { field: 'payload.seed', operator: 'exists', value: true },
        ],
      },
      1,
    ],
  ])('%s', async (_name, filters, expected) => {
    const { subscription, target, counts } = await makeQueue({ filters: filters ?? undefined }, 5);
    await drainQueue(subscription.id);
    expect(target.received).toHaveLength(expected);
    expect(await counts()).toEqual(expected > 0 ? { delivered: expected } : {});
  });
});

test('an event about an account is taken without a look at the webhooks and accounts of everybody else', async () => {
  const { project, owner } = await makeProject();
  const own = await makeSubscription(project.id, { url: 'http://127.0.0.1:9/' });
  const { project: operators, owner: admin } = await makeProject();
  await db.user.update({ where: { id: admin.id }, data: { instanceAdmin: true } });
  const all = await makeSubscription(operators.id, { url: 'http://127.0.0.1:9/', createdById: admin.id });
  const { project: other } = await makeProject();
  const { id: copied } = await makeSubscription(other.id, { url: 'http://127.0.0.1:9/' });
  await db.$executeRaw`
    INSERT INTO "user" ("id", "name", "email", "updatedAt")
    SELECT 'usr_' || n, 'Player ' || n, n || '@accounts.test', now() FROM generate_series(1, 3000) n`;
  await db.$executeRaw`
    INSERT INTO "webhook_subscription" ("id", "projectId", "url", "events", "signingSecretEncrypted", "createdById", "updatedAt")
    SELECT 'whs_' || n, "projectId", "url", "events", "signingSecretEncrypted", 'usr_' || n, now()
    FROM "webhook_subscription", generate_series(1, 3000) n WHERE "id" = ${copied}`;
  for (const table of ['user', 'webhook_subscription']) await pool.query(`ANALYZE "${table}"`);
  const verify = () =>
    db.$transaction((tx) => {
      const payload = { userId: owner.id, name: 'Owner' };
      const event = { projectId: null, type: 'user.verified', aggregateId: owner.id, payload } as const;
      return emit(tx, { actor: systemActor, requestId: null }, event);
    });
  await verify();
  const taking: { audience: string[] } = { audience: [] };
  const sent = await watchStatements(async () => {
    const { events } = await takeEvents(withRoom(0), []);
    taking.audience = events.flatMap(({ audience }) => Object.keys(audience ?? {}));
  });
  expect(taking.audience.sort()).toEqual([own.id, all.id].sort());
  const take = sent.find(({ text }) => text.includes('AS audience')) ?? { text: '', values: [] };
  await verify();
  for (const table of ['user', 'webhook_subscription'])
    expect(await countRowsRead(`"${table}"`, take)).toBeLessThan(50);
  await takeEvents(withRoom(0), []);
});

describe('a turn', () => {
  /** How many events of each project the next turn takes. */
  async function takeTurn(...projectIds: string[]): Promise<number[]> {
    const { events } = await takeEvents(withRoom(0), []);
    return projectIds.map((id) => events.filter(({ projectId }) => projectId === id).length);
  }

  async function publish(subscriptions: number, events: number): Promise<string> {
    const { project } = await makeProject();
    for (let count = 0; count < subscriptions; count += 1) {
      await makeSubscription(project.id, { url: `http://127.0.0.1:9/${count}` });
    }
    await emitEvents(project.id, events);
    return project.id;
  }

  it('gives a project with a backlog a share while another one waits, and all of it afterwards', async () => {
    const busy = await publish(1, 200);
    const other = await publish(1, 10);
    expect(await takeTurn(busy, other)).toEqual([16, 10]);
    expect(await takeTurn(busy, other)).toEqual([128, 0]);
    while ((await takeTurn(busy))[0] !== 0);
  });

  it('leaves room for a project that had events a moment ago', async () => {
    const busy = await publish(1, 200);
    const other = await publish(1, 10);
    let now = 0;
    const turns = new Turns(() => now);
    const take = async () => (await takeEvents(withRoom(0), [], turns)).events.map(({ projectId }) => projectId);
    expect((await take()).filter((id) => id === other)).toHaveLength(10);
    now += 99;
    expect(await take()).toEqual(Array(16).fill(busy));
    now += 1;
    expect(await take()).toEqual(Array(128).fill(busy));
    while ((await take()).length > 0);
  });

  it('counts deliveries, so that many subscriptions make no turn long', async () => {
    const wide = await publish(40, 10);
    const other = await publish(2, 10);
    expect(await takeTurn(wide, other)).toEqual([1, 10]);
    expect(await takeTurn(wide, other)).toEqual([3, 0]);
    while ((await takeTurn(wide))[0] !== 0);
  });

  it('takes all of a project that fell behind, and no more of the one with the backlog', async () => {
    const busy = await publish(1, 200);
    const behind = await publish(1, 40);
    expect(await takeTurn(busy, behind)).toEqual([40, 40]);
    while ((await takeTurn(busy))[0] !== 0);
  });

  it('takes nothing when nothing is left of several projects that had events a moment ago', async () => {
    const turns = new Turns(() => 0);
    await publish(1, 1);
    await publish(1, 1);
    expect((await takeEvents(withRoom(0), [], turns)).events).toHaveLength(2);
    expect(await takeEvents(withRoom(0), [], turns)).toMatchObject({ events: [], claimed: [], more: false });
  });

  it('comes to the project of another, whatever many projects of one person have, and to all of those', async () => {
    const many = await Promise.all(Array.from({ length: maxProjects + 6 }, () => publish(1, 3)));
    await db.project.updateMany({ where: { id: { in: many } }, data: { createdFrom: 'block' } });
    await db.pendingEvent.updateMany({ where: { projectId: { in: many } }, data: { turn: 'block' } });
    const other = await publish(1, 10);
    await db.pendingEvent.updateMany({ where: { projectId: other }, data: { turn: 'last' } });
    let now = 0;
    const turns = new Turns(() => now);
    const take = async () => {
      now += storeEveryMs;
      return (await takeEvents(withRoom(0), [], turns)).events.map(({ projectId }) => projectId);
    };
    const first = await take();
    expect(first.filter((id) => id === other)).toHaveLength(10);
    expect(first.length).toBeLessThan(10 + 48);
    const taken = new Set<string | null>();
    for (let ids = await take(); ids.length > 0; ids = await take()) for (const id of ids) taken.add(id);
    expect(many.filter((id) => !taken.has(id) && !first.includes(id))).toEqual([]);
  });

  it('is as full for the backlogs of two as of one, also after the first', async () => {
    const [one, other] = [await publish(1, 200), await publish(1, 200)];
    const turns = new Turns(() => 0);
    for (let turn = 0; turn < 2; turn += 1) {
      const { events } = await takeEvents(withRoom(200), [], turns);
      expect([one, other].map((id) => events.filter(({ projectId }) => projectId === id).length)).toEqual([64, 64]);
    }
    await db.pendingEvent.deleteMany({ where: { projectId: { in: [one, other] } } });
  });

  it('leaves out a backlog of which nothing can be sent, for a moment and beside another project', async () => {
    const busy = await publish(1, 200);
    const other = await publish(1, 1);
    let now = 0;
    const turns = new Turns(() => now);
    const take = async (room: number) => {
      const { events } = await takeEvents(withRoom(room), [], turns);
      return [busy, other].map((id) => events.filter(({ projectId }) => projectId === id).length);
    };
    expect(await take(20)).toEqual([16, 1]);
    expect(turns.restMs).toBeNull();
    expect(await take(0)).toEqual([16, 0]);
    await emitEvents(other, 3);
    expect(await take(0)).toEqual([0, 3]);
    expect(turns.restMs).toBe(storeEveryMs);
    now += storeEveryMs;
    expect(await take(0)).toEqual([16, 0]);
    now += 100;
    expect(await take(0)).toEqual([128, 0]);
    await db.pendingEvent.deleteMany({ where: { projectId: { in: [busy, other] } } });
  });

  it('stays short while many projects have a backlog', async () => {
    const busy = await Promise.all(Array.from({ length: 10 }, () => publish(1, 70)));
    // Together as many as one project gets alone.
    expect(await takeTurn(...busy)).toEqual(busy.map(() => 12));
    while ((await takeTurn(...busy)).some((taken) => taken > 0));
  });

  it('takes all of the project with the fewest events first, however many others have a backlog', async () => {
    const busy = await Promise.all(Array.from({ length: 30 }, () => publish(1, 70)));
    const few = await publish(1, 60);
    expect(await takeTurn(few, ...busy)).toEqual([60, ...busy.map(() => 4)]);
    while ((await takeTurn(...busy)).some((taken) => taken > 0));
  });

  it('comes to every project, however many others have a backlog', async () => {
    const busy: string[] = [];
    for (let count = 0; count <= maxProjects; count += 1) busy.push(await publish(1, 48));
    const last = busy.toSorted().at(-1);
    const taken: string[][] = [];
    const turns = new Turns();
    for (let turn = 1; turn <= 2; turn += 1) {
      const { events, more } = await takeEvents(withRoom(0), [], turns);
      taken.push([...new Set(events.flatMap(({ projectId }) => projectId ?? []))]);
      expect(more).toBe(true);
    }
    expect(taken[0]).toHaveLength(maxProjects);
    expect(taken[1]).toEqual([last]);
    while ((await takeTurn(...busy)).some((each) => each > 0));
  });
});

describe('an event whose claim was lost', () => {
  const types = ['participant.registered'];
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: 1, totalMs: 1 };
  const answer = { status: 200, headers: {}, body: 'ok', truncated: false, peerAddress: null, durationMs: 1, timings };
  const accepted = {
    ...answer,
    succeeded: true,
    errorClass: null,
    errorMessage: null,
    blameless: false,
    heldUpMs: 0,
    isOdd: false,
  };

  it('has its deliveries made as attempted, with the same ids, and no emails a second time', async () => {
    const { project } = await makeProject();
    const subscription = await makeSubscription(project.id, { url: 'http://127.0.0.1:9/' });
    const [eventId = ''] = await emitEvents(project.id, 1);
    const first = (await takeEvents(withRoom(20), types)).claimed.flatMap(({ attempts }) => attempts);
    expect(first).toMatchObject([
      { subscriptionId: subscription.id, number: 1, eventId, claimedWith: { unstored: 1 } },
    ]);
    expect(await db.webhookDelivery.count({ where: { eventId } })).toBe(0);
    expect(await takeEvents(withRoom(20), types)).toMatchObject({ events: [], claimed: [] });
    await db.pendingEmail.delete({ where: { eventId } });
    await db.eventClaim.updateMany({ where: { id: first[0]?.claimId }, data: { until: new Date(0) } });
    expect(await freeLostEvents()).toBe(true);
    // What its former holder still writes neither stores a delivery nor takes the event away.
    const [late] = first;
    if (late) await completeAttempts([{ attempt: late, result: accepted }]);
    if (late) late.claimedWith = { id: late.claimId, unstored: 1 };
    if (late) await storeReleased(late);
    expect(await db.webhookDelivery.count({ where: { eventId } })).toBe(0);
    const second = await takeEvents(withRoom(20), types);
    expect(second).toMatchObject({ claimed: [], due: [subscription.id] });
    const [delivery, ...others] = await db.webhookDelivery.findMany({ where: { eventId } });
    expect(delivery).toMatchObject({ id: first[0]?.deliveryId, status: 'pending', attemptCount: 1, claimId: null });
    expect(others).toEqual([]);
    expect(await db.pendingEmail.count({ where: { eventId } })).toBe(0);
    expect(await db.pendingEvent.count({ where: { eventId } })).toBe(0);
  });

  it('is not taken again where all of its deliveries are stored', async () => {
    const { project } = await makeProject();
    await makeSubscription(project.id, { url: 'http://127.0.0.1:9/' });
    const [done = '', lost = ''] = await emitEvents(project.id, 2);
    const attempts = (await takeEvents(withRoom(20), [])).claimed.flatMap((group) => group.attempts);
    const first = attempts.filter(({ eventId }) => eventId === done);
    await completeAttempts(first.map((attempt) => ({ attempt, result: accepted })));
    const claim = { id: attempts[0]?.claimId };
    expect(await db.eventClaim.count({ where: claim })).toBe(1);
    await db.eventClaim.updateMany({ where: claim, data: { until: new Date(0) } });
    expect(await freeLostEvents()).toBe(true);
    const again = await db.pendingEvent.findMany({ where: { eventId: { in: [done, lost] } } });
    expect(again.map(({ eventId }) => eventId)).toEqual([lost]);
    expect(await db.eventClaim.count({ where: claim })).toBe(0);
    await takeEvents(withRoom(0), []);
  });
});
