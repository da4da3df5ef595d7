import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import type * as emitting from '@/server/events/emit';
import { setupTestServer } from '@/test/server';
import { evaluate, injector, setupAntiCheat } from './anticheat.fixture';
import { evaluateSession } from './data-evaluation';

const emitted = vi.hoisted((): number[] => []);

// Silences of minutes are judged here, longer than this process has run.
vi.mock('@/server/jobs/running-since', () => ({ runningSince: 0 }));
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
  const { enroll, start } = await setupAntiCheat(server);
  const [id, other] = [(await enroll()).id, (await enroll()).id];
  const step = fc.record({ seconds: fc.integer({ min: 1, max: 200 }), isHeard: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const { sessionId } = await start();
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
        expect(await db.detection.count({ where: { sessionId } })).toBe(silences);
      }
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

test('the detections of a session with many clients are stored a few at a time', async () => {
  const { project, enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId } = await start();
  await client.report(injector(1));
  const [row, report] = await Promise.all([
    db.antiCheatClient.findUniqueOrThrow({ where: { id: client.id } }),
    db.antiCheatReport.findFirstOrThrow({ where: { clientId: client.id } }),
  ]);
  const clientIds = Array.from({ length: 120 }, () => newId('acl'));
  const userIds = clientIds.map(() => newId('usr'));
  await db.user.createMany({
    data: userIds.map((id) => ({ id, name: 'Player', email: `${id}@players.test` })),
  });
  await db.antiCheatClient.createMany({
    data: clientIds.map((id, index) => ({ ...row, id, userId: userIds[index] ?? '', tokenHash: id })),
  });
  await db.antiCheatReport.createMany({
    data: clientIds.map((clientId) => ({ ...report, clientId, data: { name: 'xenos64.exe' } })),
  });
  await db.antiCheatSessionClient.createMany({ data: clientIds.map((clientId) => ({ sessionId, clientId })) });
  emitted.length = 0;
  expect(await evaluate(sessionId)).toBe(121);
  expect(Math.max(...emitted)).toBeLessThanOrEqual(50);
  expect(await db.domainEvent.count({ where: { projectId: project.id, type: 'anticheat.detection_raised' } })).toBe(
    121,
  );
});
