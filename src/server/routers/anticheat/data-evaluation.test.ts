import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import type * as emitting from '@/server/events/emit';
import type * as metering from '@/server/limits/thread-meter';
import { makeMember } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { evaluate, injector, setupAntiCheat } from './anticheat.fixture';
import { evaluateSession } from './data-evaluation';

const emitted = vi.hoisted((): number[] => []);
/** By how much the clock is ahead, and how much more with every client that is judged. */
const clock = vi.hoisted(() => ({ aheadMs: 0, msForEach: 0 }));

// Silences of minutes are judged here, longer than this process has run.
vi.mock('@/server/jobs/running-since', () => ({ runningSince: 0 }));
vi.mock('@/server/limits/thread-meter', async (importOriginal) => {
  const original = await importOriginal<typeof metering>();
  const letOthersIn: typeof metering.letOthersIn = () => {
    clock.aheadMs += clock.msForEach;
    return original.letOthersIn();
  };
  return { ...original, letOthersIn };
});
vi.mock('@/server/events/emit', async (importOriginal) => {
  const original = await importOriginal<typeof emitting>();
  const emit: typeof emitting.emit = (tx, origin, ...events) => {
    emitted.push(events.length);
    return original.emit(tx, origin, ...events);
  };
  return { ...original, emit };
});

const server = setupTestServer();

/** The standard of the rule. */
const silenceMs = 90_000;

test('a silence is raised once until the client is heard again, however often and however late it is evaluated', async () => {
  const { project, player, enroll, start } = await setupAntiCheat(server);
  const opponent = await makeMember(project.id, 'MEMBER');
  const [id, other] = [(await enroll()).id, (await enroll(opponent.bearer)).id];
  const participants = [{ userId: player.id }, { userId: opponent.id }];
  const step = fc.record({ seconds: fc.integer({ min: 1, max: 200 }), isHeard: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const { sessionId } = await start({ game: 'cs2', participants });
      const { startedAt } = await db.antiCheatSession.findUniqueOrThrow({ where: { id: sessionId } });
      let now = startedAt.getTime();
      const hear = () =>
        db.antiCheatClient.updateMany({ where: { id: { in: [id, other] } }, data: { lastHeardAt: new Date(now) } });
      await hear();
      let heardAt = now;
      let isRaised = false;
      let silences = 0;
      for (const { seconds, isHeard } of steps) {
        now += seconds * 1000;
        if (isHeard) {
          await hear();
          heardAt = now;
          isRaised = false;
        }
        if (!isRaised && now + 1 - heardAt >= silenceMs) {
          isRaised = true;
          silences += 1;
        }
        const until = { until: new Date(now), isFinal: false, budgetMs: 5_000 };
        await db.$transaction((tx) => evaluateSession(tx, sessionId, until));
        expect(await db.detection.count({ where: { sessionId } })).toBe(2 * silences);
      }
    }),
    { numRuns: 25 },
  );
});

/** Two clients of one player in a session whose silence is raised after some milliseconds; times are seconds after its start. */
async function setupPair(thresholdMs: number) {
  const { project, owner, enroll, start } = await setupAntiCheat(server);
  const setting = { projectId: project.id, ruleId: 'cs2.client_silence', updatedById: owner.id };
  await db.antiCheatRuleSetting.create({ data: { ...setting, thresholds: { silenceMs: thresholdMs } } });
  const ids = [(await enroll()).id, (await enroll()).id] as const;
  const begin = async () => {
    const { sessionId } = await start();
    const { startedAt } = await db.antiCheatSession.findUniqueOrThrow({ where: { id: sessionId } });
    const at = (seconds: number) => new Date(startedAt.getTime() + seconds * 1000);
    const hear = (seconds: number, ...clientIds: string[]) =>
      db.antiCheatClient.updateMany({ where: { id: { in: clientIds } }, data: { lastHeardAt: at(seconds) } });
    /** @returns whose silences are raised by then, in order */
    const raisedBy = async (seconds: number) => {
      const until = { until: at(seconds), isFinal: false, budgetMs: 5_000 };
      await db.$transaction((tx) => evaluateSession(tx, sessionId, until));
      const rows = await db.detection.findMany({ where: { sessionId }, orderBy: { windowStart: 'asc' } });
      return rows.map(({ clientId }) => clientId);
    };
    return { hear, raisedBy };
  };
  return { ids, begin };
}

test('of two clients of a player that stop at once, the one that stays silent is raised though the other is heard again', async () => {
  const { ids, begin } = await setupPair(silenceMs);
  const { hear, raisedBy } = await begin();
  await hear(0, ...ids);
  const [decoy = ''] = await raisedBy(95);
  const played = ids.filter((id) => id !== decoy);
  expect(await raisedBy(100)).toEqual([decoy]);
  await hear(105, decoy);
  expect(await raisedBy(130)).toEqual([decoy, ...played]);
  expect(await raisedBy(190)).toEqual([decoy, ...played]);
});

test('a second silence in the minute of one that is raised is raised in the next', async () => {
  const { ids, begin } = await setupPair(30_000);
  const { hear, raisedBy } = await begin();
  const [id] = ids;
  await hear(35, id);
  expect(await raisedBy(55)).toEqual([]);
  expect(await raisedBy(65)).toEqual([id]);
  await hear(70, id);
  expect(await raisedBy(100)).toEqual([id]);
  expect(await raisedBy(121)).toEqual([id, id]);
  expect(await raisedBy(200)).toEqual([id, id]);
});

test('every client of a player that stays silent is raised once for it, whatever was raised before', async () => {
  const { ids, begin } = await setupPair(30_000);
  const step = fc.record({ seconds: fc.integer({ min: 1, max: 100 }), heard: fc.subarray([...ids]) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { hear, raisedBy } = await begin();
      await hear(0, ...ids);
      const heardAt = new Map(ids.map((id) => [id, 0]));
      const raised: string[] = [];
      let [now, count] = [0, 0];
      // In the two minutes at the end there is a place for each of them.
      for (const { seconds, heard } of [...steps, { seconds: 60, heard: [] }, { seconds: 60, heard: [] }]) {
        now += seconds;
        await hear(now, ...heard);
        for (const id of heard) heardAt.set(id, now);
        const all = await raisedBy(now);
        raised.push(...all.slice(count).map((id) => `${id} ${heardAt.get(id)}`));
        count = all.length;
      }
      expect(raised).toEqual([...new Set(raised)]);
      for (const [id, since] of heardAt) expect(raised).toContain(`${id} ${since}`);
    }),
    { numRuns: 25 },
  );
});

test('a silence that a changed threshold or an evaluation of many minutes finds late is raised once too', async () => {
  const { project, owner, enroll, start } = await setupAntiCheat(server);
  const { id } = await enroll();
  const { sessionId } = await start();
  const { startedAt } = await db.antiCheatSession.findUniqueOrThrow({ where: { id: sessionId } });
  await db.antiCheatClient.update({ where: { id }, data: { lastHeardAt: startedAt } });
  const setting = { projectId: project.id, ruleId: 'cs2.client_silence', updatedById: owner.id };
  await db.antiCheatRuleSetting.create({ data: { ...setting, thresholds: { silenceMs: 600_000 } } });
  const raisedBy = async (minutes: number) => {
    const until = new Date(startedAt.getTime() + minutes * 60_000);
    await db.$transaction((tx) => evaluateSession(tx, sessionId, { until, isFinal: false, budgetMs: 5_000 }));
    return db.detection.count({ where: { sessionId } });
  };
  expect(await raisedBy(5)).toBe(0);
  await db.antiCheatRuleSetting.updateMany({ where: setting, data: { thresholds: { silenceMs: 60_000 } } });
  expect(await raisedBy(15)).toBe(1);
  expect(await raisedBy(16)).toBe(1);
});

/** More clients of a session, each of a player of its own, who report what `client` did. */
async function addClients(sessionId: string, client: { id: string }, count: number, reports = 1) {
  const [row, report] = await Promise.all([
    db.antiCheatClient.findUniqueOrThrow({ where: { id: client.id } }),
    db.antiCheatReport.findFirstOrThrow({ where: { clientId: client.id } }),
  ]);
  const clientIds = Array.from({ length: count }, () => newId('acl'));
  const userIds = clientIds.map(() => newId('usr'));
  await db.user.createMany({
    data: userIds.map((id) => ({ id, name: 'Player', email: `${id}@players.test` })),
  });
  await db.antiCheatClient.createMany({
    data: clientIds.map((id, index) => ({ ...row, id, userId: userIds[index] ?? '', tokenHash: id })),
  });
  await db.antiCheatReport.createMany({
    data: clientIds.flatMap((clientId) =>
      Array.from({ length: reports }, (_, at) => ({
        ...{ ...report, clientId, sequence: at + 1 },
        data: { name: 'xenos64.exe' },
      })),
    ),
  });
  await db.antiCheatSessionClient.createMany({ data: clientIds.map((clientId) => ({ sessionId, clientId })) });
  return clientIds;
}

test('the detections of a session with many clients are stored a few at a time', async () => {
  const { project, enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId } = await start();
  await client.report(injector(1));
  await addClients(sessionId, client, 120);
  emitted.length = 0;
  expect(await evaluate(sessionId)).toBe(121);
  expect(Math.max(...emitted)).toBeLessThanOrEqual(50);
  expect(await db.domainEvent.count({ where: { projectId: project.id, type: 'anticheat.detection_raised' } })).toBe(
    121,
  );
});

test('clients that send much hide none that sends little, when a minute takes longer than it may', async () => {
  const { enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId } = await start();
  await client.report(injector(1));
  const quiet = [client.id];
  for (let part = 0; part < 2; part += 1) {
    await addClients(sessionId, client, 27, 3);
    quiet.push(...(await addClients(sessionId, client, 1)));
  }
  await db.antiCheatSession.update({ where: { id: sessionId }, data: { endedAt: new Date() } });
  // Of the eight seconds that a minute has at most, each client takes one.
  clock.msForEach = 1_000;
  const now = performance.now.bind(performance);
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + clock.aheadMs);
  try {
    await evaluate(sessionId);
  } finally {
    spy.mockRestore();
    clock.msForEach = 0;
  }
  const raised = await db.detection.findMany({ where: { sessionId } });
  const clientIds = raised.map(({ clientId }) => clientId);
  expect(clientIds).toEqual(expect.arrayContaining(quiet));
  expect(clientIds.length).toBeLessThan(54);
});
