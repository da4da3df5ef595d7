import { expect, test, vi } from 'vitest';
import { windowMs } from '@/domain/anticheat/rules';
import { db } from '@/server/db';
import { makeApiKey } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { evaluate, eventsOf, injector, setupAntiCheat, setupStranger } from './anticheat.fixture';
import { EvaluationRounds } from './data-rounds';

const server = setupTestServer();

type Item = { id: string; ruleId: string; userId: string; reviewed: boolean; evidenceCount: number };
const list = (apiKey: string, query = '') => server.get<Item[]>(`/anti-cheat/detections${query}`, { apiKey });

/** Moves a session, what its clients reported and what was raised into the past. */
async function moveBack(sessionId: string, ms: number) {
  await db.$executeRaw`
    UPDATE "anti_cheat_session" SET "startedAt" = "startedAt" - ${ms} * interval '1 ms',
      "evaluatedUntil" = "evaluatedUntil" - ${ms} * interval '1 ms' WHERE "id" = ${sessionId}`;
  await db.$executeRaw`
    UPDATE "detection" SET "windowStart" = "windowStart" - ${ms} * interval '1 ms' WHERE "sessionId" = ${sessionId}`;
  await db.$executeRaw`
    UPDATE "anti_cheat_report" r SET "receivedAt" = "receivedAt" - ${ms} * interval '1 ms', "at" = "at" - ${ms} * interval '1 ms'
    FROM "anti_cheat_session_client" s WHERE s."sessionId" = ${sessionId} AND r."clientId" = s."clientId"`;
}

test('a rule that trips raises one detection in a window, with its event', async () => {
  const { project, player, apiKey, enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId, matchId } = await start();
  await client.report(injector(1), injector(2));
  const counts = await Promise.all(Array.from({ length: 8 }, () => evaluate(sessionId)));
  await evaluate(sessionId);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1);
  const { body } = await list(apiKey);
  expect(body).toEqual([
    {
      id: expect.stringMatching(/^det_/),
      sessionId,
      matchId,
      userId: player.id,
      ruleId: 'cs2.blocked_process',
      rule: 'Blocked program',
      severity: 'critical',
      raisedAt: expect.any(String),
      hasAiVerdict: false,
      evidenceCount: 0,
      reviewed: false,
      beforeTakeover: false,
    },
  ]);
  expect(await eventsOf(body[0]?.id ?? '')).toEqual(['anticheat.detection_raised']);
  const row = await db.detection.findFirstOrThrow({ where: { projectId: project.id } });
  expect(row.explanation).toBe('Running beside the game: xenos64.exe.');

  await moveBack(sessionId, windowMs + 10_000);
  await client.report(injector(3));
  await evaluate(sessionId);
  expect((await list(apiKey)).body).toHaveLength(2);
});

test('windows that are closed are not evaluated again, and reports before the session do not count', async () => {
  const { apiKey, enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  await client.report(injector(1));
  const { sessionId } = await start();
  expect(await evaluate(sessionId)).toBe(0);
  const before = await db.antiCheatSession.findUniqueOrThrow({ where: { id: sessionId } });
  await db.$executeRaw`
    UPDATE "anti_cheat_session" SET "startedAt" = now() - interval '10 minutes', "evaluatedUntil" = now() - interval '10 minutes'
    WHERE "id" = ${sessionId}`;
  await db.antiCheatReport.deleteMany({ where: { clientId: client.id } });
  await evaluate(sessionId);
  const after = await db.antiCheatSession.findUniqueOrThrow({ where: { id: sessionId } });
  expect(after.evaluatedUntil.getTime()).toBeGreaterThan(before.evaluatedUntil.getTime() - windowMs - 5_000);
  expect(await evaluate('acs_00000000000000000000000000')).toBe(0);
  expect((await list(apiKey)).body).toEqual([]);
});

test('an ended session raises nothing more', async () => {
  const { apiKey, enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId } = await start();
  await server.post(`/anti-cheat/sessions/${sessionId}/end`, { apiKey });
  await client.report(injector(1));
  expect(await evaluate(sessionId)).toBe(0);
});

test('what was received in the millisecond in which the session ended counts', async () => {
  const { enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId } = await start();
  await client.report(injector(1));
  const { receivedAt } = await db.antiCheatReport.findFirstOrThrow({ where: { clientId: client.id } });
  await db.antiCheatSession.update({ where: { id: sessionId }, data: { endedAt: receivedAt } });
  expect(await evaluate(sessionId)).toBe(1);
});

test('a session that cannot be evaluated does not hold up the next one', async () => {
  const { project, apiKey, enroll, start } = await setupAntiCheat(server);
  const other = await setupAntiCheat(server);
  const [broken, client] = [await other.enroll(), await enroll()];
  const sessions = [
    { id: (await other.start()).sessionId, owner: other.project.id, block: other.project.id },
    { id: (await start()).sessionId, owner: project.id, block: project.id },
  ];
  await broken.report(injector(1));
  await client.report(injector(1));
  // No rule reads such data: the API does not take it.
  await db.antiCheatReport.updateMany({ where: { clientId: broken.id }, data: { data: {} } });
  expect(await new EvaluationRounds().run(sessions)).toBe(1);
  expect((await list(apiKey)).body).toHaveLength(1);
});

test("others have the thread between the reports of two clients, which are parsed one client's at a time", async () => {
  const { enroll, start } = await setupAntiCheat(server);
  const clients = [await enroll(), await enroll(), await enroll()];
  const { sessionId } = await start();
  for (const client of clients) await client.report(injector(1), injector(2));
  let round = 0;
  const countRounds = () => {
    round += 1;
    timer = setImmediate(countRounds);
  };
  let timer = setImmediate(countRounds);
  const parsedIn: number[] = [];
  const { parse } = JSON;
  const spy = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    if (`${text}`.startsWith('[[1, ')) parsedIn.push(round);
    return parse(text, reviver);
  });
  expect(await evaluate(sessionId)).toBe(1);
  spy.mockRestore();
  clearImmediate(timer);
  expect(parsedIn).toHaveLength(3);
  expect(new Set(parsedIn).size).toBe(3);
});

test('a project can turn a rule off', async () => {
  const { project, owner, enroll, start } = await setupAntiCheat(server);
  await db.antiCheatRuleSetting.create({
    data: { projectId: project.id, ruleId: 'cs2.blocked_process', enabled: false, updatedById: owner.id },
  });
  const client = await enroll();
  const { sessionId } = await start();
  await client.report(injector(1));
  expect(await evaluate(sessionId)).toBe(0);
});

test('the list is paged by its Link header, newest first, and only shows the own project', async () => {
  const { project, player, apiKey, start } = await setupAntiCheat(server);
  const { sessionId, matchId } = await start();
  const ids = Array.from({ length: 7 }, (_, index) => `det_${String(index).padStart(26, '0')}`).map(
    (id) => `${id.slice(0, 10)}${project.id.slice(-14)}${id.slice(-6)}`,
  );
  await db.detection.createMany({
    data: ids.map((id, index) => ({
      id,
      projectId: project.id,
      sessionId,
      matchId,
      userId: player.id,
      clientId: 'acl_1',
      ruleId: 'cs2.aim_snap',
      rule: 'Inhuman aim snaps',
      severity: 'high' as const,
      windowStart: new Date(index),
      explanation: '',
      figures: {},
      verdict: index % 2 === 0 ? ('dismissed' as const) : null,
    })),
  });
  const seen: string[] = [];
  let next: string | undefined = '/anti-cheat/detections?limit=3';
  for (; next; ) {
    const page: Awaited<ReturnType<typeof list>> = await server.get<Item[]>(next, { apiKey });
    expect(page.status).toBe(200);
    seen.push(...page.body.map(({ id }) => id));
    next = /<[^>]*(\/anti-cheat\/detections[^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
  }
  expect(seen).toEqual([...ids].reverse());
  const open = await list(apiKey, '?unreviewedOnly=true');
  expect(open.body.map(({ id, reviewed }) => [id, reviewed])).toEqual([5, 3, 1].map((at) => [ids[at], false]));
  for (const query of ['?limit=0', '?limit=201', '?unreviewedOnly=perhaps', '?cursor=x']) {
    expect(await list(apiKey, query)).toMatchObject({ status: 400 });
  }
  expect((await list((await setupStranger()).apiKey)).body).toEqual([]);
});

test('detections need their scope and no plan', async () => {
  const { project } = await setupAntiCheat(server);
  await db.project.update({ where: { id: project.id }, data: { plan: 'free' } });
  const { key: without } = await makeApiKey(project.id, { scopes: ['anticheat:session.write', 'read:matches'] });
  expect(await list(without)).toMatchObject({ status: 403, reason: 'SCOPE_MISSING' });
  const { key } = await makeApiKey(project.id, { scopes: ['anticheat:detections.read'] });
  expect(await list(key)).toMatchObject({ status: 200 });
});
