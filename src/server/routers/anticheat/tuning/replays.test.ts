import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { type RuleChange, thresholdsIn } from '@/domain/anticheat/rule-settings';
import { rulesOf } from '@/domain/anticheat/rules';
import { type Habits, traceOf } from '@/domain/anticheat/traces.fixture';
import { env } from '@/env';
import type { Prisma } from '@/generated/prisma/client';
import { functions } from '@/inngest/index';
import { db } from '@/server/db';
import { setupAntiCheat, setupStranger } from '@/server/routers/anticheat/anticheat.fixture';
import { evaluateSession } from '@/server/routers/anticheat/data-evaluation';
import { takeOver } from '@/server/routers/auth/data-takeover';
import { startBackground } from '@/test/background';
import { makeMember } from '@/test/factories';
import { holdLock, someoneWaits } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { continueReplay, createReplay, failReplay, startReplay } from './data-replay';

const server = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

const minute = 60_000;
/** Windows of the recorded session; it ends in the middle of the last one. */
const windows = 3;

type Change = {
  change: 'added' | 'gone';
  ruleId: string;
  userId: string;
  windowStart: string;
  detectionId: string | null;
  userName: string | null;
  beforeTakeover: boolean;
};
type Replay = {
  state: string;
  sessions: { done: number; total: number };
  reportsRead: number;
  isPartial: boolean;
  rules: { ruleId: string; raised: number; replayed: number; added: number; gone: number }[];
  changes: { items: Change[]; total: number };
};

/** A session of the last minutes with what each player's client sent in it, not evaluated yet. */
async function record(players: Habits[]) {
  const made = await setupAntiCheat(server);
  const members = await Promise.all(players.map(() => makeMember(made.project.id, 'MEMBER')));
  const clients = await Promise.all(members.map(({ bearer }) => made.enroll(bearer)));
  const { sessionId } = await made.start({ game: 'cs2', participants: members.map(({ id: userId }) => ({ userId })) });
  const began = Math.floor(Date.now() / 1000) * 1000 - (windows + 1) * minute;
  const data = { startedAt: new Date(began), evaluatedUntil: new Date(began) };
  await db.antiCheatSession.update({ where: { id: sessionId }, data });
  for (const [index, habits] of players.entries()) {
    const clientId = clients[index]?.id ?? '';
    const reports = Array.from({ length: windows }, (_, at) =>
      traceOf(index * 10 + at + 1, habits, began + at * minute),
    );
    await db.antiCheatReport.createMany({
      data: reports
        .flatMap((trace) => trace.reports)
        .sort((a, b) => a.receivedAt - b.receivedAt)
        .map(({ kind, data: sent, at, receivedAt }, sequence) => ({
          ...{ clientId, kind, data: sent as Prisma.InputJsonObject, sequence: sequence + 1 },
          ...{ at: new Date(at), receivedAt: new Date(receivedAt) },
        })),
    });
  }
  return { ...made, members, sessionId, began, ended: began + (windows - 0.5) * minute };
}

type Recorded = Awaited<ReturnType<typeof record>>;

/** Evaluates the session as it is evaluated while it runs, every `everyMs`, and ends it. */
async function play({ sessionId, began, ended }: Recorded, everyMs: number) {
  await db.antiCheatSession.update({
    where: { id: sessionId },
    data: { endedAt: null, evaluatedUntil: new Date(began) },
  });
  await db.antiCheatSessionClient.updateMany({
    where: { sessionId },
    data: { firstReportAt: null, clockAheadMs: null },
  });
  await db.detection.deleteMany({ where: { sessionId } });
  const evaluate = (until: number, isFinal: boolean) =>
    db.$transaction((tx) => evaluateSession(tx, sessionId, { until: new Date(until), isFinal, budgetMs: 5_000 }));
  for (let until = began + everyMs; until < ended; until += everyMs) await evaluate(until, false);
  await evaluate(ended, true);
  await db.antiCheatSession.update({ where: { id: sessionId }, data: { endedAt: new Date(ended) } });
}

const path = (projectId: string) => `/projects/${projectId}/anti-cheat/replays`;
const begin = ({ project, owner }: Recorded, rules: RuleChange[], more = {}) =>
  server.post<{ id: string; sessions: number }>(path(project.id), {
    bearer: owner.bearer,
    body: { game: 'cs2', rules, ...more },
  });
const look = async ({ project, owner }: Recorded, id: string, query = '?limit=100') =>
  (await server.get<Replay>(`${path(project.id)}/${id}${query}`, owner)).body;

async function replay(recorded: Recorded, rules: RuleChange[], limit?: number): Promise<Replay> {
  const { body } = await begin(recorded, rules);
  while (!(await continueReplay(body.id, limit)));
  return look(recorded, body.id);
}

const aimSnap = (thresholds: Record<string, number> = {}, enabled = true) => [
  { ruleId: 'cs2.aim_snap', enabled, thresholds },
];
const cheats: Habits[] = [{ snapShare: 0.5 }, { reactionMs: [90, 25] }, { clockJumpMs: 30_000, lagMs: 9_000 }, {}];
const tallyOf = ({ rules }: Replay, ruleId: string) => rules.find((rule) => rule.ruleId === ruleId);
const setOf = (rows: { ruleId: string; userId: string; windowStart: string | Date }[]) =>
  rows
    .filter(({ ruleId }) => ruleId !== 'cs2.client_silence')
    .map(({ ruleId, userId, windowStart }) => `${ruleId} ${userId} ${new Date(windowStart).toISOString()}`)
    .sort();

test('with the settings as they are, a replay finds what was raised, however often the session was evaluated', async () => {
  const recorded = await record(cheats);
  for (const everyMs of [7_300, 10_000, 41_000]) {
    await play(recorded, everyMs);
    const before = await db.detection.findMany({ where: { sessionId: recorded.sessionId }, orderBy: { id: 'asc' } });
    const found = await replay(recorded, aimSnap());
    expect(found).toMatchObject({ state: 'finished', isPartial: false, sessions: { done: 1, total: 1 } });
    expect(found.changes.items).toEqual([]);
    expect(tallyOf(found, 'cs2.aim_snap')).toMatchObject({ raised: windows, replayed: windows, added: 0, gone: 0 });
    expect(tallyOf(found, 'cs2.reaction_floor')?.replayed).toBeGreaterThan(0);
    expect(tallyOf(found, 'cs2.clock_manipulation')?.replayed).toBeGreaterThan(0);
    const after = await db.detection.findMany({ where: { sessionId: recorded.sessionId }, orderBy: { id: 'asc' } });
    expect(after).toEqual(before);
  }
});

test('whatever the settings, the evaluation raises what their replay found', async () => {
  const recorded = await record([
    { snapShare: 0.3 },
    { reactionMs: [120, 30] },
    { presses: { meanMs: 60, spread: 0.05 } },
  ]);
  const settings = fc.tuple(
    ...rulesOf('cs2').map((key) =>
      fc.record({
        ruleId: fc.constant(`cs2.${key}`),
        enabled: fc.boolean(),
        thresholds: fc.record(
          Object.fromEntries(
            Object.entries(thresholdsIn(key)).map(([name, { min, max }]) => [
              name,
              fc.double({ min, max, noNaN: true }),
            ]),
          ),
        ),
      }),
    ),
  );
  env.ANTI_CHEAT_REPLAYS_PER_HOUR = 1_000;
  await fc.assert(
    fc.asyncProperty(settings, fc.integer({ min: 9_000, max: 70_000 }), async (rules, everyMs) => {
      await db.detection.deleteMany({ where: { sessionId: recorded.sessionId } });
      await db.antiCheatSession.update({
        where: { id: recorded.sessionId },
        data: { endedAt: new Date(recorded.ended) },
      });
      const { changes } = await replay(recorded, rules);
      expect(changes.items.every(({ change }) => change === 'added')).toBe(true);
      const body = { rules };
      const saved = await server.patch(`/projects/${recorded.project.id}/anti-cheat/rules/cs2`, {
        bearer: recorded.owner.bearer,
        body,
      });
      expect(saved).toMatchObject({ status: 200 });
      await play(recorded, everyMs);
      const raised = await db.detection.findMany({ where: { sessionId: recorded.sessionId } });
      expect(setOf(raised)).toEqual(setOf(changes.items));
    }),
    { numRuns: 5 },
  );
});

test('other thresholds show what is added and gone, with the players, and what staff decided', async () => {
  const recorded = await record(cheats);
  await play(recorded, 10_000);
  const [aimbot] = recorded.members;
  await db.detection.updateMany({
    where: { sessionId: recorded.sessionId, ruleId: 'cs2.aim_snap' },
    data: { verdict: 'confirmed' },
  });
  const stricter = await replay(recorded, [
    ...aimSnap({ snaps: 50 }),
    { ruleId: 'cs2.reaction_floor', enabled: true, thresholds: { floorMs: 180 } },
  ]);
  expect(tallyOf(stricter, 'cs2.aim_snap')).toMatchObject({ raised: windows, replayed: 0, gone: windows });
  const gone = stricter.changes.items.filter(({ change }) => change === 'gone');
  expect(gone).toHaveLength(windows);
  for (const one of gone) {
    expect(one).toMatchObject({ userId: aimbot?.id, ruleId: 'cs2.aim_snap', verdict: 'confirmed' });
    expect(one.detectionId).toMatch(/^det_/);
  }
  const off = await replay(recorded, aimSnap({}, false));
  expect(off.changes.items.map(({ change, ruleId }) => [change, ruleId])).toEqual(
    Array.from({ length: windows }, () => ['gone', 'cs2.aim_snap']),
  );
  expect(off.changes.items[0]).toMatchObject({ userName: aimbot?.name, beforeTakeover: false });
  await db.$transaction((tx) => takeOver(tx, aimbot?.id ?? '', '203.0.113.9', 'True Owner'));
  const later = await replay(recorded, aimSnap({}, false));
  expect(later.changes.items[0]).toMatchObject({ userId: aimbot?.id, userName: null, beforeTakeover: true });
});

test('its function runs it in the background, and its differences are paged', async () => {
  const recorded = await record([{ snapShare: 0.5 }]);
  const endedAt = new Date(recorded.ended);
  await db.antiCheatSession.update({ where: { id: recorded.sessionId }, data: { endedAt } });
  const background = await startBackground({
    functions: functions.filter((fn) => fn.id() === 'replay-anti-cheat-rules'),
  });
  const { status, body } = await begin(recorded, aimSnap());
  expect([status, body.sessions]).toEqual([202, 1]);
  await background.idle();
  await background.stop();
  const second = await look(recorded, body.id, '?limit=2&page=2');
  expect(second).toMatchObject({ state: 'finished', changes: { total: windows, items: [{ change: 'added' }] } });
});

test('it waits for none of those of other accounts, however many go on', async () => {
  const long = await Promise.all([1, 2, 3].map(() => setupAntiCheat(server)));
  const replays = await Promise.all(
    long.map(({ project, owner }) =>
      db.$transaction((tx) =>
        createReplay(tx, { projectId: project.id, userId: owner.id, game: 'cs2', settings: aimSnap(), sessions: 1 }),
      ),
    ),
  );
  const ids = replays.map(({ id }) => id);
  const release = await holdLock('SELECT FROM anti_cheat_replay WHERE id = ANY ($1) FOR UPDATE', [ids]);
  const background = await startBackground({
    functions: functions.filter((fn) => fn.id() === 'replay-anti-cheat-rules'),
  });
  for (const [at, id] of ids.entries()) {
    const { project, owner } = long[at] ?? {};
    await startReplay(id, { projectId: project?.id ?? '', userId: owner?.id ?? '' });
  }
  await someoneWaits();
  const recorded = await record([{}]);
  const { body } = await begin(recorded, aimSnap());
  await until(async () => (await look(recorded, body.id)).state === 'finished');
  await release();
  await background.idle();
  await background.stop();
});

test('one runs at a time, a lost one gives way, and the hour has a limit', async () => {
  env.ANTI_CHEAT_REPLAYS_PER_HOUR = 2;
  const recorded = await record([{}]);
  const answers = await Promise.all(Array.from({ length: 6 }, () => begin(recorded, aimSnap())));
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
  const first = answers.find(({ status }) => status === 202)?.body.id ?? '';
  await db.antiCheatReplay.update({ where: { id: first }, data: { progressAt: new Date(Date.now() - 121_000) } });
  expect(await look(recorded, first)).toMatchObject({ state: 'failed' });
  const second = await begin(recorded, aimSnap());
  expect(second).toMatchObject({ status: 202 });
  expect(await continueReplay(first)).toBe(true);
  expect(await server.get(`${path(recorded.project.id)}/${first}`, recorded.owner)).toMatchObject({ status: 404 });
  await failReplay(second.body.id);
  expect(await look(recorded, second.body.id)).toMatchObject({ state: 'failed' });
  expect(await begin(recorded, aimSnap())).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' });
});

test('it stops at its limit of reports and says so; only whole players are compared', async () => {
  const recorded = await record([{ snapShare: 0.5 }, { snapShare: 0.5 }]);
  await play(recorded, 10_000);
  const { reportsRead } = await replay(recorded, aimSnap());
  expect(reportsRead).toBeGreaterThan(2 * 700);
  const cut = await replay(recorded, aimSnap(), reportsRead - 1);
  expect(cut).toMatchObject({ state: 'finished', isPartial: true, sessions: { done: 0, total: 1 } });
  expect(tallyOf(cut, 'cs2.aim_snap')).toMatchObject({ raised: windows, replayed: windows });
  expect(cut.reportsRead).toBeLessThan(reportsRead);
});

test('moderators cannot start one, and strangers find nothing', async () => {
  const recorded = await record([{}]);
  const { body } = await begin(recorded, aimSnap());
  const moderator = await makeMember(recorded.project.id, 'MODERATOR');
  const member = await makeMember(recorded.project.id, 'MEMBER');
  const stranger = await setupStranger();
  const outsider = await makeMember(stranger.project.id, 'OWNER');
  const one = `${path(recorded.project.id)}/${body.id}`;
  expect(await server.get(one, moderator)).toMatchObject({ status: 200 });
  expect(await server.get(one, member)).toMatchObject({ status: 403 });
  expect(await server.get(one, outsider)).toMatchObject({ status: 404 });
  expect(await server.get(`${path(stranger.project.id)}/${body.id}`, outsider)).toMatchObject({ status: 404 });
  const request = { body: { game: 'cs2', rules: aimSnap() } };
  expect(await server.post(path(recorded.project.id), { ...request, ...moderator })).toMatchObject({ status: 403 });
  expect(await server.post(path(recorded.project.id), { ...request, ...outsider })).toMatchObject({ status: 404 });
  expect(await server.post(path(recorded.project.id), { ...request, apiKey: recorded.apiKey })).toMatchObject({
    status: 401,
  });
  for (const more of [{ sessions: 0 }, { sessions: 51 }, { game: 'chess' }, { rules: [] }]) {
    expect(await begin(recorded, aimSnap(), more)).toMatchObject({ status: 400 });
  }
  expect(await begin(recorded, aimSnap({ snaps: 1 }))).toMatchObject({ status: 400 });
});
