import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeApiKey, makeMember, makeProject, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hoursFromNow, refusalOf } from '@/test/tournaments';

const api = setupTestServer();
type Game = { id: string; key: string; name: string; projectId: string | null };
type Page = { items: Game[]; total: number };

async function make() {
  await db.game.createMany({ data: [{ id: 'cs2', name: 'Counter-Strike 2' }], skipDuplicates: true });
  const { project, owner } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const { bearer } = organizer;
  const path = `/projects/${project.id}/games`;
  const settings = { name: 'Winter Cup', maxParticipants: 8, startDate: hoursFromNow(24).toISOString() };
  return {
    ...{ project, owner, organizer, bearer, path },
    add: (name: unknown, by: { bearer?: string; apiKey?: string } = { bearer }) =>
      api.post<Game>(path, { ...by, body: { name } }),
    create: (game: string) =>
      api.post<{ id: string; game: string; gameName: string; error: { issues: { path: string }[] } }>(
        `/projects/${project.id}/tournaments`,
        { bearer, body: { ...settings, game } },
      ),
  };
}

test('a project plays tournaments in a game of its own, which no other project can use', async () => {
  const { project, add, create, bearer, path } = await make();
  const other = await make();
  const added = await add('Rocket Sumo');
  expect(added.status, added.text).toBe(201);
  expect(added.body).toEqual({ id: 'rocket-sumo', key: 'rocket-sumo', name: 'Rocket Sumo', projectId: project.id });
  const made = await create('rocket-sumo');
  expect(made.body).toMatchObject({ game: 'rocket-sumo', gameName: 'Rocket Sumo' });
  const edited = await api.patch(`/tournaments/${made.body.id}`, { bearer, body: { game: 'cs2' } });
  expect(edited.body).toMatchObject({ game: 'cs2', gameName: 'Counter-Strike 2' });
  const back = await api.patch(`/tournaments/${made.body.id}`, { bearer, body: { game: 'rocket-sumo' } });
  expect(back.body).toMatchObject({ game: 'rocket-sumo', gameName: 'Rocket Sumo' });

  const refused = await other.create('rocket-sumo');
  expect([...refusalOf(refused), refused.body.error.issues]).toMatchObject([
    400,
    'VALIDATION_FAILED',
    [{ path: 'game' }],
  ]);
  expect((await other.create('unknown')).status).toBe(400);
  expect((await other.add('Rocket Sumo')).body).toMatchObject({ key: 'rocket-sumo', projectId: other.project.id });
  const theirs = await other.create('rocket-sumo');
  expect(theirs.status, theirs.text).toBe(201);

  const { key } = await makeApiKey(project.id);
  const data = await api.get<{ data: { tournaments: { id: string }[] } }>(
    '/data/tournaments?gameId=rocket-sumo&status=DRAFT',
    { apiKey: key },
  );
  expect(data.body.data.tournaments.map(({ id }) => id)).toEqual([made.body.id]);
  const listed = await api.get<Page>(path, { bearer });
  expect(listed.body.items).toContainEqual(added.body);
  expect(listed.body.items).toContainEqual({ id: 'cs2', key: 'cs2', name: 'Counter-Strike 2', projectId: null });
  const elsewhere = await api.get<Page>(other.path, { bearer: other.bearer });
  expect(elsewhere.body.items.filter((game) => game.key === 'rocket-sumo')).toMatchObject([
    { projectId: other.project.id },
  ]);
  const everywhere = await api.trpc().tournaments.games.query();
  expect(everywhere.map(({ id }) => id)).not.toContain('rocket-sumo');
});

test('keys are unique in the project, names are not repeated, and nameless scripts get a key too', async () => {
  const { add, project } = await make();
  expect((await add('C&C')).body.key).toBe('c-c');
  expect((await add('C C')).body.key).toBe('c-c-2');
  expect((await add('囲碁')).body.key).toBe('game');
  expect((await add('将棋')).body.key).toBe('game-2');
  expect(refusalOf(await add('c&c'))).toEqual([409, 'GAME_EXISTS']);
  expect(refusalOf(await add('counter-strike  2'))).toEqual([409, 'GAME_EXISTS']);
  expect((await add('x'.repeat(80))).body.key.length).toBeLessThanOrEqual(40);
  expect(await db.auditEntry.count({ where: { projectId: project.id, action: 'game.create' } })).toBe(5);
});

test('one of several equal names is added when they come at once', async () => {
  const { add, project } = await make();
  const responses = await Promise.all(Array.from({ length: 6 }, () => add('Chess')));
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  expect(await db.game.count({ where: { projectId: project.id } })).toBe(1);
});

test('games are added by organizers, within the quota', async () => {
  const { add, project, path } = await make();
  const member = await makeMember(project.id, 'MEMBER');
  const moderator = await makeMember(project.id, 'MODERATOR');
  const stranger = await makeUser();
  const { key } = await makeApiKey(project.id);
  expect((await add('Chess', member)).status).toBe(403);
  expect((await add('Chess', moderator)).status).toBe(403);
  expect((await add('Chess', stranger)).status).toBe(404);
  expect((await add('Chess', { apiKey: key })).status).toBe(401);
  expect((await add('Chess', {})).status).toBe(401);
  for (const name of ['', '  ', 7, undefined]) expect((await add(name)).status).toBe(400);
  expect((await api.get(path, { bearer: member.bearer })).status).toBe(200);
  expect((await api.get(path, { bearer: stranger.bearer })).status).toBe(404);
  await db.game.createMany({
    data: Array.from({ length: 100 }, (_, at) => ({
      ...{ id: `game-${at}`, name: `Game ${at}`, scope: project.id, projectId: project.id },
    })),
  });
  expect(refusalOf(await add('Chess'))).toEqual([409, 'QUOTA_EXCEEDED']);
});
