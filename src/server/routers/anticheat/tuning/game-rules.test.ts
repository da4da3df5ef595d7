import fc from 'fast-check';
import { expect, test } from 'vitest';
import { thresholdsIn } from '@/domain/anticheat/rule-settings';
import { rules, rulesOf } from '@/domain/anticheat/rules';
import { db } from '@/server/db';
import { evaluate, injector, setupAntiCheat } from '@/server/routers/anticheat/anticheat.fixture';
import { makeApiKey, makeMember, makeProject, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

type Rules = {
  version: number;
  updatedAt: string | null;
  updatedBy: string | null;
  rules: { ruleId: string; enabled: boolean; thresholds: { name: string; value: number; standard: number }[] }[];
};
type Caller = { bearer: string };

const pathOf = (projectId: string, game = 'cs2') => `/projects/${projectId}/anti-cheat/rules/${game}`;
const read = (projectId: string, caller: Caller, game = 'cs2') => server.get<Rules>(pathOf(projectId, game), caller);
const patch = (projectId: string, { bearer }: Caller, body: Record<string, unknown>, game = 'cs2') =>
  server.patch<Rules>(pathOf(projectId, game), { bearer, body });
const snaps = (value: number) => ({ rules: [{ ruleId: 'cs2.aim_snap', enabled: true, thresholds: { snaps: value } }] });
const thresholdOf = ({ rules: list }: Rules, ruleId: string, name: string) =>
  list.find((one) => one.ruleId === ruleId)?.thresholds.find((threshold) => threshold.name === name)?.value;

test('an organizer tunes a rule; the others stay, and the change is in the audit log', async () => {
  const { project } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const { body: standard } = await read(project.id, organizer);
  expect(standard).toMatchObject({ version: 0, updatedAt: null, updatedBy: null });
  expect(standard.rules.map(({ ruleId }) => ruleId)).toEqual(rulesOf('cs2').map((key) => `cs2.${key}`));

  const tuned = await patch(project.id, organizer, { ...snaps(6), version: 0 });
  expect(tuned).toMatchObject({ status: 200, body: { version: 1, updatedBy: expect.any(String) } });
  expect(thresholdOf(tuned.body, 'cs2.aim_snap', 'snaps')).toBe(6);
  expect(thresholdOf(tuned.body, 'cs2.aim_snap', 'degrees')).toBe(25);
  const off = { rules: [{ ruleId: 'cs2.input_cadence', enabled: false, thresholds: {} }] };
  const both = await patch(project.id, organizer, off);
  expect(both.body.version).toBe(2);
  expect(thresholdOf(both.body, 'cs2.aim_snap', 'snaps')).toBe(6);
  expect((await read(project.id, organizer, 'valorant')).body.version).toBe(0);
  const stored = await db.antiCheatRuleSetting.findFirst({ where: { projectId: project.id, ruleId: 'cs2.aim_snap' } });
  expect(stored).toMatchObject({ thresholds: { snaps: 6 }, updatedById: organizer.id });
  const entries = await db.auditEntry.findMany({ where: { projectId: project.id, targetType: 'anti_cheat_rules' } });
  expect(entries.map(({ details }) => details)).toEqual([
    { game: 'Counter-Strike 2', rules: 'Inhuman aim snaps: snaps 4 to 6' },
    { game: 'Counter-Strike 2', rules: 'Inhuman input cadence: off' },
  ]);
});

test('what changes nothing is no change, and a change of an older version is refused', async () => {
  const { project, owner } = await makeProject();
  expect((await patch(project.id, owner, snaps(4))).body).toMatchObject({ version: 0 });
  expect(await db.auditEntry.count({ where: { projectId: project.id, targetType: 'anti_cheat_rules' } })).toBe(0);
  const answers = await Promise.all(
    [5, 6, 7, 8].map((value) => patch(project.id, owner, { ...snaps(value), version: 0 })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  expect(answers.find(({ status }) => status === 412)).toMatchObject({ reason: 'VERSION_MISMATCH' });
  const won = answers.findIndex(({ status }) => status === 200) + 5;
  const { body } = await read(project.id, owner);
  expect([body.version, thresholdOf(body, 'cs2.aim_snap', 'snaps')]).toEqual([1, won]);
  // Back to the standard counts up as well.
  expect((await patch(project.id, owner, snaps(4))).body.version).toBe(2);
});

/** Numbers as a request may have them. */
const numbers = (limits: fc.DoubleConstraints) =>
  fc
    .double({ min: -1e20, max: 1e20, noNaN: true, ...limits })
    .filter((value) => value === 0 || Math.abs(value) >= 1e-20);

test('a threshold takes every value of its range and none outside of it', async () => {
  const { project, owner } = await makeProject();
  const all = rulesOf('cs2').flatMap((key) =>
    Object.entries(thresholdsIn(key)).map(([name, threshold]) => ({ ruleId: `cs2.${key}`, name, ...threshold })),
  );
  const place = fc.constantFrom(...all).chain((one) =>
    fc.record({
      one: fc.constant(one),
      inside: numbers({ min: one.min, max: one.max }),
      outside: fc.oneof(numbers({ max: one.min, maxExcluded: true }), numbers({ min: one.max, minExcluded: true })),
    }),
  );
  await fc.assert(
    fc.asyncProperty(place, async ({ one: { ruleId, name }, inside, outside }) => {
      const change = (value: number) => ({ rules: [{ ruleId, enabled: true, thresholds: { [name]: value } }] });
      const taken = await patch(project.id, owner, change(inside));
      expect([taken.status, thresholdOf(taken.body, ruleId, name)]).toEqual([200, inside]);
      const refused = await patch(project.id, owner, change(outside));
      expect(refused).toMatchObject({ status: 400, reason: 'VALIDATION_FAILED' });
      expect(JSON.stringify(refused.body)).toContain(`rules.0.thresholds.${name}`);
      expect(thresholdOf((await read(project.id, owner)).body, ruleId, name)).toBe(inside);
    }),
    { numRuns: 40 },
  );
});

test('what no rule has is named', async () => {
  const { project, owner } = await makeProject();
  const rule = (ruleId: string, thresholds: Record<string, unknown> = {}) => ({ ruleId, enabled: true, thresholds });
  const bodies = [
    { rules: [] },
    { rules: [rule('cs2.wallhack')] },
    { rules: [rule('valorant.aim_snap')] },
    { rules: [rule('aim_snap')] },
    { rules: [rule('cs2.aim_snap', { floorMs: 100 })] },
    { rules: [rule('cs2.aim_snap', { constructor: 1 })] },
    { rules: [rule('cs2.aim_snap', { snaps: '6' })] },
    { rules: [rule('cs2.aim_snap'), rule('cs2.aim_snap')] },
    {},
  ];
  for (const body of bodies) expect(await patch(project.id, owner, body)).toMatchObject({ status: 400 });
  expect(await patch(project.id, owner, snaps(6), 'chess')).toMatchObject({ status: 400 });
  expect(await patch(project.id, owner, { rules: [rule('rl.aim_snap')] }, 'rl')).toMatchObject({ status: 400 });
  expect(await db.antiCheatRuleSetting.count({ where: { projectId: project.id } })).toBe(0);
});

test('moderators read, organizers change, and to everyone else the project does not exist', async () => {
  const { project } = await makeProject();
  const other = await makeProject();
  const [organizer, moderator, member] = await Promise.all(
    (['ORGANIZER', 'MODERATOR', 'MEMBER'] as const).map((role) => makeMember(project.id, role)),
  );
  if (!organizer || !moderator || !member) throw new Error('three members');
  expect(await read(project.id, moderator)).toMatchObject({ status: 200 });
  expect(await patch(project.id, organizer, snaps(6))).toMatchObject({ status: 200 });
  for (const caller of [moderator, member]) {
    expect(await patch(project.id, caller, snaps(7))).toMatchObject({ status: 403, reason: 'FORBIDDEN' });
  }
  expect(await read(project.id, member)).toMatchObject({ status: 403 });
  for (const caller of [other.owner, await makeUser()]) {
    expect(await read(project.id, caller)).toMatchObject({ status: 404 });
    expect(await patch(project.id, caller, snaps(7))).toMatchObject({ status: 404 });
  }
  const { key: apiKey } = await makeApiKey(project.id);
  expect(await server.get(pathOf(project.id), { apiKey })).toMatchObject({ status: 401 });
  expect(await server.get(pathOf(project.id))).toMatchObject({ status: 401 });
  expect(thresholdOf((await read(project.id, organizer)).body, 'cs2.aim_snap', 'snaps')).toBe(6);
});

test('running sessions follow the rules as they are now', async () => {
  const { project, owner, enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId } = await start();
  const blocked = (enabled: boolean) => ({ rules: [{ ruleId: 'cs2.blocked_process', enabled, thresholds: {} }] });
  expect(await patch(project.id, owner, blocked(false))).toMatchObject({ status: 200 });
  await client.report(injector(1));
  expect(await evaluate(sessionId)).toBe(0);
  await patch(project.id, owner, blocked(true));
  expect(await evaluate(sessionId)).toBe(1);
  expect(rules.blocked_process.severity).toBe('critical');
});
