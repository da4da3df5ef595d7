import { expect, test } from 'vitest';
import { db } from '@/server/db';
import {
  evaluate,
  eventsOf,
  injector,
  setupAntiCheat,
  setupStranger,
} from '@/server/routers/anticheat/anticheat.fixture';
import { startCup } from '@/server/routers/matches/matches.fixture';
import { makeApiKey, makeMember, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

type Session = {
  id: string;
  match: { number: number; tournamentSlug: string } | null;
  endedAt: string | null;
  requested: number;
  covered: number;
  running: number;
  detections: number;
};
type Page<Item> = { items: Item[]; total: number };
type Player = {
  userId: string;
  requested: boolean;
  detections: number;
  clients: {
    id: string;
    running: boolean;
    revoked: boolean;
    lastHeardAt: string | null;
    clockAheadMs: number | null;
  }[];
};
type Caller = { bearer: string };

const path = (projectId: string) => `/projects/${projectId}/anti-cheat/sessions`;
const list = async (projectId: string, caller: Caller, query = '') =>
  (await server.get<Page<Session>>(`${path(projectId)}${query}`, caller)).body;
const playersOf = async (projectId: string, caller: Caller, sessionId: string, query = '') =>
  (await server.get<Page<Player>>(`${path(projectId)}/${sessionId}/players${query}`, caller)).body;

test('staff see who was asked for, whose client is covered, and whether it runs', async () => {
  const { project, player, enroll, start } = await setupAntiCheat(server);
  const moderator = await makeMember(project.id, 'MODERATOR');
  const [silent, bare] = [await makeMember(project.id, 'MEMBER'), await makeMember(project.id, 'MEMBER')];
  const client = await enroll();
  const silentClient = await enroll(silent.bearer);
  await client.beat();
  const { sessionId } = await start({
    game: 'cs2',
    participants: [player, silent, bare].map(({ id: userId }) => ({ userId })),
  });
  await client.report(injector(1));
  await evaluate(sessionId);
  const [session] = (await list(project.id, moderator)).items;
  expect(session).toMatchObject({
    ...{ id: sessionId, match: null, endedAt: null },
    ...{ requested: 3, covered: 2, running: 1, detections: 1 },
  });
  const { items, total } = await playersOf(project.id, moderator, sessionId);
  expect(total).toBe(3);
  const byId = new Map(items.map((one) => [one.userId, one]));
  expect(byId.get(player.id)).toMatchObject({
    requested: true,
    detections: 1,
    clients: [{ id: client.id, running: true }],
  });
  expect(byId.get(silent.id)?.clients).toMatchObject([{ id: silentClient.id, running: false, lastHeardAt: null }]);
  expect(byId.get(bare.id)?.clients).toEqual([]);
  expect((await playersOf(project.id, moderator, sessionId, '?limit=2&page=2')).items).toHaveLength(1);
  expect(JSON.stringify(items)).not.toContain('@');

  await server.delete(`/anti-cheat/clients/${client.id}`, player);
  const after = await playersOf(project.id, moderator, sessionId);
  expect(after.items.find(({ userId }) => userId === player.id)?.clients).toMatchObject([
    { running: false, revoked: true },
  ]);
});

test('sessions are listed newest first, by match and by whether they run', async () => {
  const { project, owner, apiKey, start } = await setupAntiCheat(server);
  const ids: string[] = [];
  for (const matchId of ['one', 'two', 'one']) ids.push((await start({ game: 'rl', matchId })).sessionId);
  await server.post(`/anti-cheat/sessions/${ids[0]}/end`, { apiKey });
  const idsOf = async (query: string) => (await list(project.id, owner, query)).items.map(({ id }) => id);
  expect(await idsOf('')).toEqual([...ids].reverse());
  expect(await idsOf('?matchId=one')).toEqual([ids[2], ids[0]]);
  expect(await idsOf('?isRunning=true')).toEqual([ids[2], ids[1]]);
  expect(await idsOf('?isRunning=false')).toEqual([ids[0]]);
  expect(await list(project.id, owner, '?limit=2&page=2')).toMatchObject({ total: 3, items: [{ id: ids[0] }] });
});

test('a moderator starts a session for a match and ends it, as a game server would', async () => {
  const cup = await startCup(server, 2);
  const projectId = cup.project.id;
  await db.project.update({ where: { id: projectId }, data: { plan: 'enterprise' } });
  const moderator = await makeMember(projectId, 'MODERATOR');
  const match = await db.match.findFirstOrThrow({ where: { tournamentId: cup.tournamentId } });
  const body = { game: 'cs2', matchId: match.id };
  const begin = () => server.post<{ sessionId: string }>(path(projectId), { ...moderator, body });
  const answers = await Promise.all(Array.from({ length: 5 }, begin));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  const sessionId = answers.find(({ status }) => status === 201)?.body.sessionId ?? '';
  const session = await server.get<Session>(`${path(projectId)}/${sessionId}`, moderator);
  expect(session.body).toMatchObject({ requested: 2, covered: 0, match: { number: match.number } });

  const end = () =>
    server.post<{ endedAt: string }>(`${path(projectId)}/${sessionId}/end`, { ...moderator, body: { reason: 'over' } });
  const ends = await Promise.all(Array.from({ length: 4 }, end));
  expect(new Set(ends.map(({ status, body: { endedAt } }) => `${status} ${endedAt}`)).size).toBe(1);
  expect(ends[0]?.status).toBe(200);
  expect(await eventsOf(sessionId)).toEqual(['anticheat.session_completed']);
  const audit = await db.auditEntry.findMany({ where: { targetId: sessionId }, orderBy: { id: 'asc' } });
  expect(audit.map(({ action, actorId }) => [action, actorId])).toEqual([
    ['anti_cheat_session.start', moderator.id],
    ['anti_cheat_session.end', moderator.id],
  ]);
  expect(await begin()).toMatchObject({ status: 201 });
});

test('starting needs the plan, a match of the project and a game', async () => {
  const cup = await startCup(server, 2);
  const other = await setupAntiCheat(server);
  const match = await db.match.findFirstOrThrow({ where: { tournamentId: cup.tournamentId } });
  const begin = (projectId: string, caller: Caller, body: Record<string, unknown>) =>
    server.post(path(projectId), { bearer: caller.bearer, body });
  const body = { game: 'cs2', matchId: match.id };
  const staff = await makeMember(cup.project.id, 'MODERATOR');
  await db.project.update({ where: { id: cup.project.id }, data: { plan: 'pro' } });
  expect(await begin(cup.project.id, staff, body)).toMatchObject({ status: 403, reason: 'PLAN_LACKS_CAPABILITY' });
  expect(await begin(other.project.id, other.owner, body)).toMatchObject({ status: 404 });
  await db.project.update({ where: { id: cup.project.id }, data: { plan: 'enterprise' } });
  expect(await begin(cup.project.id, staff, { ...body, game: 'chess' })).toMatchObject({ status: 400 });
  expect(await begin(cup.project.id, staff, { game: 'cs2' })).toMatchObject({ status: 400 });
  expect(await begin(cup.project.id, staff, body)).toMatchObject({ status: 201 });
});

test('members and strangers learn nothing, and an API key is refused', async () => {
  const { project, player, apiKey, start } = await setupAntiCheat(server);
  const { sessionId } = await start();
  const stranger = await setupStranger();
  const outsider = await makeMember(stranger.project.id, 'OWNER');
  const calls = (projectId: string) => [
    { method: 'get' as const, at: path(projectId) },
    { method: 'get' as const, at: `${path(projectId)}/${sessionId}` },
    { method: 'get' as const, at: `${path(projectId)}/${sessionId}/players` },
    { method: 'post' as const, at: `${path(projectId)}/${sessionId}/end` },
  ];
  for (const { method, at } of calls(project.id)) {
    expect(await server[method](at, { bearer: player.bearer })).toMatchObject({ status: 403 });
    expect(await server[method](at, { bearer: outsider.bearer })).toMatchObject({ status: 404 });
    expect(await server[method](at, { bearer: (await makeUser()).bearer })).toMatchObject({ status: 404 });
    expect(await server[method](at, { apiKey })).toMatchObject({ status: 401 });
  }
  for (const { method, at } of calls(stranger.project.id).slice(1)) {
    expect(await server[method](at, { bearer: outsider.bearer })).toMatchObject({ status: 404 });
  }
  const { key } = await makeApiKey(project.id);
  expect(await server.post(path(project.id), { apiKey: key, body: { game: 'cs2', matchId: 'x' } })).toMatchObject({
    status: 401,
  });
  expect((await db.antiCheatSession.findUniqueOrThrow({ where: { id: sessionId } })).endedAt).toBeNull();
});
