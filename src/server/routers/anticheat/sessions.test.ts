import { expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { systemActor } from '@/server/events/emit';
import { takeOver } from '@/server/routers/auth/data-takeover';
import { startCup } from '@/server/routers/matches/matches.fixture';
import { makeApiKey, makeMember, makeProject } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { evaluate, eventsOf, injector, setupAntiCheat, setupStranger } from './anticheat.fixture';
import { findOpenSessions } from './data-rounds';
import { endSession } from './data-sessions';

const server = setupTestServer();

const wiredUsers = async (sessionId: string) => {
  const rows = await db.antiCheatSessionClient.findMany({
    where: { sessionId },
    select: { client: { select: { userId: true } } },
  });
  return rows.map(({ client }) => client.userId).sort();
};

test('a session wires in the enrolled clients of the players it names, and remembers whom it was asked for', async () => {
  const { project, player, enroll, start } = await setupAntiCheat(server);
  const [revoked, otherGame, bare] = await Promise.all([1, 2, 3].map(() => makeMember(project.id, 'MEMBER')));
  if (!revoked || !otherGame || !bare) throw new Error('three players');
  await enroll();
  await enroll(otherGame.bearer, 'rl');
  const { id } = await enroll(revoked.bearer);
  expect(await server.delete(`/anti-cheat/clients/${id}`, revoked)).toMatchObject({ status: 200 });
  const named = [player, revoked, otherGame, bare, player].map(({ id: userId }) => ({ userId }));
  const { sessionId, matchId } = await start({ game: 'cs2', participants: named, projectId: 'prj_other' });
  expect(sessionId).toMatch(/^acs_[0-9a-z]{26}$/);
  expect(matchId).toMatch(/^mat_[0-9a-z]{26}$/);
  expect(await wiredUsers(sessionId)).toEqual([player.id]);
  const row = await db.antiCheatSession.findUniqueOrThrow({ where: { id: sessionId } });
  expect(row).toMatchObject({
    projectId: project.id,
    requestedUserIds: [player, revoked, otherGame, bare].map((one) => one.id),
  });
});

test('of a player with many clients, a session takes the five that were heard last', async () => {
  const { project, player, enroll, start } = await setupAntiCheat(server);
  const clients = [];
  for (let count = 0; count < 8; count += 1) clients.push(await enroll());
  const calm = await makeMember(project.id, 'MEMBER');
  const only = await enroll(calm.bearer);
  for (const client of clients.slice(2).reverse()) await client.beat();
  const { sessionId } = await start({ game: 'cs2', participants: [{ userId: player.id }, { userId: calm.id }] });
  const wired = await db.antiCheatSessionClient.findMany({ where: { sessionId }, select: { clientId: true } });
  const expected = [...clients.slice(2, 7), only].map(({ id }) => id);
  expect(wired.map(({ clientId }) => clientId).sort()).toEqual(expected.sort());
});

test('a session that ends with much left to evaluate ends at once, and the rest is evaluated later', async () => {
  const { project, enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId } = await start();
  await client.report(injector(1), injector(2), injector(3));
  const began = new Date(Date.now() - 170_000);
  await db.antiCheatSession.update({ where: { id: sessionId }, data: { startedAt: began, evaluatedUntil: began } });
  for (const [sequence, second] of [
    [1n, 10],
    [2n, 70],
    [3n, 130],
  ] as const) {
    const receivedAt = new Date(began.getTime() + second * 1000);
    await db.antiCheatReport.updateMany({ where: { clientId: client.id, sequence }, data: { receivedAt } });
  }
  const raised = () => db.detection.count({ where: { sessionId } });
  const by = { actor: systemActor, requestId: null };
  const end = { projectId: project.id, sessionId, reason: null };
  expect(await db.$transaction((tx) => endSession(tx, by, end, 0))).toMatchObject({ ended: true });
  expect(await raised()).toBe(1);
  const openIds = async () => (await findOpenSessions(10_000)).map(({ id }) => id);
  expect(await openIds()).toContain(sessionId);
  expect(await evaluate(sessionId, 0)).toBe(1);
  expect(await evaluate(sessionId, 0)).toBe(1);
  expect(await evaluate(sessionId, 0)).toBe(0);
  expect(await openIds()).not.toContain(sessionId);
  expect(await eventsOf(sessionId)).toEqual(['anticheat.session_completed']);
});

test('a running session is evaluated a window at a time when there is no time for more', async () => {
  const { enroll, start } = await setupAntiCheat(server);
  await enroll();
  const { sessionId } = await start();
  const began = new Date(Date.now() - 250_000);
  await db.antiCheatSession.update({ where: { id: sessionId }, data: { startedAt: began, evaluatedUntil: began } });
  for (const minutes of [1, 2, 3, 4, 4]) {
    await evaluate(sessionId, 0);
    const { evaluatedUntil } = await db.antiCheatSession.findUniqueOrThrow({ where: { id: sessionId } });
    expect(evaluatedUntil.getTime() - began.getTime()).toBe(minutes * 60_000);
  }
});

test("without participants, the players are the match's; another project's match is only an id", async () => {
  const cup = await startCup(server, 2);
  await db.project.update({ where: { id: cup.project.id }, data: { plan: 'enterprise' } });
  const { key: apiKey } = await makeApiKey(cup.project.id);
  const match = await db.match.findFirstOrThrow({ where: { tournamentId: cup.tournamentId } });
  const bearer = await cup.bearerOf(match.participantAId);
  const { userId } = await db.participant.findUniqueOrThrow({ where: { id: match.participantAId ?? '' } });
  await server.post('/anti-cheat/clients', { bearer, body: { projectId: cup.project.id } });
  const body = { game: 'cs2', matchId: match.id };
  const own = await server.post<{ sessionId: string; matchId: string }>('/anti-cheat/sessions', { apiKey, body });
  expect(own).toMatchObject({ status: 201, body: { matchId: match.id } });
  expect(await wiredUsers(own.body.sessionId)).toEqual([userId]);
  const stranger = await setupStranger();
  const foreign = await server.post<{ sessionId: string }>('/anti-cheat/sessions', { apiKey: stranger.apiKey, body });
  expect(foreign.status).toBe(201);
  const row = await db.antiCheatSession.findUniqueOrThrow({ where: { id: foreign.body.sessionId } });
  expect(row.requestedUserIds).toEqual([]);
});

test("of the match's players, those whom others put on a roster are watched, and their silence says nothing until they accept", async () => {
  const cup = await startCup(server, 2);
  const { id: projectId, createdAt: since } = cup.project;
  await db.project.update({ where: { id: projectId }, data: { plan: 'enterprise' } });
  const { key: apiKey } = await makeApiKey(projectId);
  const match = await db.match.findFirstOrThrow({ where: { tournamentId: cup.tournamentId } });
  const [agreed, named, mate] = [match.participantAId ?? '', match.participantBId ?? '', cup.stranger];
  const place = { participantId: agreed, tournamentId: cup.tournamentId, userId: mate.id };
  await db.rosterMember.create({ data: { ...place, role: 'player', addedById: cup.organizer.id } });
  await db.participant.update({ where: { id: named }, data: { acceptedAt: null } });
  const players = [await cup.bearerOf(agreed), await cup.bearerOf(named), mate.bearer];
  for (const bearer of players) {
    const enrolled = await server.post<{ clientToken: string }>('/anti-cheat/clients', { bearer, body: { projectId } });
    const client = { bearer: `Bearer ${enrolled.body.clientToken}` };
    await server.post('/anti-cheat/clients/me/reports', { ...client, body: { reports: [injector(1)] } });
  }
  const setting = { projectId, ruleId: 'cs2.client_silence', updatedById: cup.organizer.id };
  await db.antiCheatRuleSetting.create({ data: { ...setting, thresholds: { silenceMs: 1 } } });
  const ids = await Promise.all(
    [agreed, named].map(async (id) => (await db.participant.findUniqueOrThrow({ where: { id } })).userId ?? ''),
  );
  const begin = async (body: object) => {
    const started = await server.post<{ sessionId: string }>('/anti-cheat/sessions', { apiKey, body });
    const where = { id: started.body.sessionId };
    await db.antiCheatSession.update({ where, data: { startedAt: since, evaluatedUntil: since } });
    return started.body.sessionId;
  };
  const silent = async (sessionId: string) => {
    await evaluate(sessionId);
    const rows = await db.detection.findMany({ where: { sessionId, ruleId: 'cs2.client_silence' } });
    return [...new Set(rows.map(({ userId }) => userId))].sort();
  };
  const [own, other, third] = [ids[0] ?? '', ids[1] ?? '', mate.id];
  const ofRoster = await begin({ game: 'cs2', matchId: match.id });
  expect(await wiredUsers(ofRoster)).toEqual([own, other, third].sort());
  // Whose own registration it is can report its result, and is judged as who plays.
  expect(await silent(ofRoster)).toEqual([own, other].sort());
  expect(await db.detection.count({ where: { sessionId: ofRoster, ruleId: 'cs2.blocked_process' } })).toBe(3);
  for (const { bearer } of [{ bearer: players[1] }, mate]) {
    const path = `/tournaments/${cup.tournamentId}/registrations/me/accept`;
    expect((await server.post(path, { bearer })).status).toBe(200);
  }
  expect(await silent(ofRoster)).toEqual([own, other, third].sort());
  await db.rosterMember.updateMany({ where: { userId: third }, data: { acceptedAt: null } });
  const byName = await begin({ game: 'cs2', matchId: match.id, participants: [{ userId: third }] });
  expect(await silent(byName)).toEqual([third]);
});

test('silence of clients that a takeover of the account ended is not raised against its owner', async () => {
  const { project, player, apiKey, enroll } = await setupAntiCheat(server);
  const stays = await makeMember(project.id, 'MEMBER');
  for (const { bearer } of [player, stays]) await (await enroll(bearer)).report(injector(1));
  const setting = { projectId: project.id, ruleId: 'cs2.client_silence', updatedById: stays.id };
  await db.antiCheatRuleSetting.create({ data: { ...setting, thresholds: { silenceMs: 1 } } });
  const participants = [{ userId: player.id }, { userId: stays.id }];
  const body = { game: 'cs2', participants };
  const { sessionId } = (await server.post<{ sessionId: string }>('/anti-cheat/sessions', { apiKey, body })).body;
  const since = project.createdAt;
  await db.antiCheatSession.update({ where: { id: sessionId }, data: { startedAt: since, evaluatedUntil: since } });
  await db.$transaction((tx) => takeOver(tx, player.id, '203.0.113.9'));
  await evaluate(sessionId);
  const raised = await db.detection.findMany({ where: { sessionId }, orderBy: { ruleId: 'asc' } });
  const of = (rule: string) => raised.flatMap(({ ruleId, userId }) => (ruleId === rule ? [userId] : []));
  expect([...new Set(of('cs2.client_silence'))]).toEqual([stays.id]);
  expect(of('cs2.blocked_process').sort()).toEqual([player.id, stays.id].sort());
});

test('ending emits its event once, however often it is called, and an unknown id does nothing', async () => {
  const { apiKey, player, enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId, matchId } = await start();
  await client.report(injector(1));
  const stranger = await setupStranger();
  const path = `/anti-cheat/sessions/${sessionId}/end`;
  for (const call of [
    { path, apiKey: stranger.apiKey },
    { path: '/anti-cheat/sessions/acs_00000000000000000000000000/end', apiKey },
  ]) {
    expect(await server.post(call.path, { apiKey: call.apiKey })).toMatchObject({
      status: 200,
      body: { ended: false, endedAt: null },
    });
  }
  const body = { reason: 'match completed' };
  const answers = await Promise.all(Array.from({ length: 16 }, () => server.post(path, { apiKey, body })));
  const ends = new Set(answers.map((answer) => JSON.stringify([answer.status, answer.body])));
  expect([...ends]).toHaveLength(1);
  expect(answers[0]).toMatchObject({ status: 200, body: { sessionId, ended: true } });
  expect(await server.post(path, { apiKey })).toMatchObject({ status: 200, body: answers[0]?.body });
  expect(await eventsOf(sessionId)).toEqual(['anticheat.session_completed']);
  const event = await db.domainEvent.findFirstOrThrow({ where: { aggregateId: sessionId } });
  expect(event.payload).toMatchObject({
    matchId,
    userIds: [player.id],
    detectionCount: 1,
    reason: 'match completed',
    endedAt: answers[0]?.body.endedAt,
  });
});

test('starting and ending need key, plan and scope, in this order', async () => {
  const { project } = await makeProject({ plan: 'pro' });
  const body = { game: 'cs2' };
  for (const [path, status] of [
    ['/anti-cheat/sessions', 201],
    ['/anti-cheat/sessions/acs_1/end', 200],
  ] as const) {
    expect(await server.post(path, { body })).toMatchObject({ status: 401, reason: 'API_KEY_MISSING' });
    const member = await makeMember(project.id, 'OWNER');
    expect(await server.post(path, { ...member, body })).toMatchObject({ status: 401 });
    const { key: apiKey } = await makeApiKey(project.id, { scopes: ['read:matches'] });
    expect(await server.post(path, { apiKey, body })).toMatchObject({ status: 403, reason: 'PLAN_LACKS_CAPABILITY' });
    await db.project.update({ where: { id: project.id }, data: { plan: 'enterprise' } });
    // The server learns of the plan by a notice.
    await expect
      .poll(() => server.post(path, { apiKey, body }))
      .toMatchObject({ status: 403, reason: 'SCOPE_MISSING' });
    const { key } = await makeApiKey(project.id, { scopes: ['anticheat:session.write'] });
    expect(await server.post(path, { apiKey: key, body: {} })).toMatchObject({
      status: path.endsWith('end') ? 200 : 400,
    });
    expect(await server.post(path, { apiKey: key, body })).toMatchObject({ status });
    await db.project.update({ where: { id: project.id }, data: { plan: 'pro' } });
  }
});

test('what a session does not take is named', async () => {
  const { apiKey } = await setupAntiCheat(server);
  const bodies = [
    { game: 'chess' },
    { game: 'cs2', participants: ['usr_1'] },
    { game: 'cs2', participants: Array.from({ length: 201 }, () => ({ userId: 'usr_1' })) },
    { game: 'cs2', matchId: '' },
  ];
  for (const body of bodies) {
    expect(await server.post('/anti-cheat/sessions', { apiKey, body })).toMatchObject({ status: 400 });
  }
});

test('starting at once does not pass the number of running sessions', async () => {
  const limit = env.ANTI_CHEAT_SESSIONS_PER_PROJECT;
  env.ANTI_CHEAT_SESSIONS_PER_PROJECT = 4;
  const { apiKey } = await setupAntiCheat(server);
  const begin = () => server.post<{ sessionId: string }>('/anti-cheat/sessions', { apiKey, body: { game: 'rl' } });
  const answers = await Promise.all(Array.from({ length: 16 }, begin));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
  expect(answers.filter(({ status, reason }) => status === 409 && reason === 'QUOTA_EXCEEDED')).toHaveLength(12);
  const first = answers.find(({ status }) => status === 201)?.body.sessionId;
  await server.post(`/anti-cheat/sessions/${first}/end`, { apiKey });
  expect(await begin()).toMatchObject({ status: 201 });
  env.ANTI_CHEAT_SESSIONS_PER_PROJECT = limit;
});

test('a project cannot start sessions without end by ending each at once', async () => {
  const limit = env.ANTI_CHEAT_SESSIONS_PER_PROJECT_PER_DAY;
  env.ANTI_CHEAT_SESSIONS_PER_PROJECT_PER_DAY = 2;
  const { project, apiKey } = await setupAntiCheat(server);
  for (const expected of [201, 201, 429]) {
    const started = await server.post<{ sessionId: string }>('/anti-cheat/sessions', { apiKey, body: { game: 'rl' } });
    expect(started.status).toBe(expected);
    if (expected === 201) await server.post(`/anti-cheat/sessions/${started.body.sessionId}/end`, { apiKey });
    else expect(started.reason).toBe('QUOTA_EXCEEDED');
  }
  expect(await db.antiCheatSession.count({ where: { projectId: project.id } })).toBe(2);
  env.ANTI_CHEAT_SESSIONS_PER_PROJECT_PER_DAY = limit;
});
