import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { plans } from '@/domain/projects/plans';
import { resolveApiKey } from '@/server/auth/api-keys';
import { db } from '@/server/db';
import { consumeKeyLimit } from '@/server/limits/rate-limit';
import type { FeedEvent } from '@/server/routers/matches/feed/schema';
import { type Cup, playOut, readBracket, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { BracketOutput, MatchOutput } from '@/server/routers/matches/schema';
import { makeApiKey, makeProject, makeTeam, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import type { DataPlayerStats, DataTeam } from './schema-play';

const api = setupTestServer();

type Enveloped<T> = { success: true; data: T; message: string };
type MatchPage = { matches: MatchOutput[]; total: number; page: number; limit: number; totalPages: number };

let cup: Cup;
let apiKey: string;
let otherKey: string;
let matchId: string;
let userId: string;
let teamId: string;

/** Writes `count` events into a feed, a second apart from 2027-01-01T12:00:01Z. */
async function writeEvents(match: string, count: number): Promise<void> {
  await db.matchEvent.createMany({
    data: Array.from({ length: count }, (_, at) => ({
      id: newId('mev'),
      matchId: match,
      sequence: at + 1,
      type: at % 2 === 0 ? 'round_ended' : 'kill',
      timestamp: new Date(Date.UTC(2027, 0, 1, 12, 0, at + 1)),
      payload: { round: at + 1 },
    })),
  });
}

beforeAll(async () => {
  cup = await startCup(api, 4);
  apiKey = (await makeApiKey(cup.project.id)).key;
  otherKey = (await makeApiKey((await makeProject()).project.id)).key;
  const [first] = await readMatches(api, cup.tournamentId);
  matchId = first?.id ?? '';
  const winner = await db.participant.findUniqueOrThrow({ where: { id: cup.participantIds[0] } });
  userId = winner.userId ?? '';
  await writeEvents(matchId, 7);
  const captain = await makeUser({ name: 'Captain' });
  teamId = (await makeTeam(captain, [await makeUser()])).id;
  const teams = await makeTournament(cup.project.id, { teamSize: 2 });
  await db.participant.create({
    data: {
      id: newId('prt'),
      tournamentId: teams.id,
      type: 'team',
      userId: captain.id,
      teamId,
      name: 'Team',
      registrationStatus: 'approved',
    },
  });
  await playOut(api, cup);
});

const routes: [name: string, path: () => string, scope: string][] = [
  ['bracket', () => `/data/tournaments/${cup.tournamentId}/bracket`, 'read:tournaments'],
  ['tournament matches', () => `/data/tournaments/${cup.tournamentId}/matches`, 'read:matches'],
  ['match', () => `/data/matches/${matchId}`, 'read:matches'],
  ['match events', () => `/data/matches/${matchId}/events`, 'read:matches'],
  ['player stats', () => `/data/players/${userId}/stats?gameId=cs2`, 'read:player_stats'],
  ['team', () => `/data/teams/${teamId}`, 'read:teams'],
];

describe.each(routes)('%s', (_name, path, scope) => {
  test('is enveloped, tagged and answered with 304', async () => {
    const first = await api.get(path(), { apiKey });
    expect(first.status, first.text).toBe(200);
    expect(first.body).toEqual({ success: true, data: expect.anything(), message: expect.any(String) });
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[^"]+"$/);
    const again = await api.get(path(), { apiKey, headers: { 'If-None-Match': tag } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
  });

  test('needs a key, the plan and the scope', async () => {
    const scopes = ['read:tournaments', 'read:matches', 'read:player_stats', 'read:teams'];
    const lacking = await makeApiKey(cup.project.id, { scopes: scopes.filter((one) => one !== scope) });
    const sufficient = await makeApiKey(cup.project.id, { scopes: [scope] });
    const free = await makeApiKey((await makeProject({ plan: 'free' })).project.id);
    expect((await api.get(path())).reason).toBe('API_KEY_MISSING');
    expect((await api.get(path(), { bearer: cup.owner.bearer })).reason).toBe('API_KEY_MISSING');
    expect((await api.get(path(), { apiKey: free.key })).reason).toBe('PLAN_LACKS_CAPABILITY');
    const refused = await api.get(path(), { apiKey: lacking.key });
    expect([refused.status, refused.reason]).toEqual([403, 'SCOPE_MISSING']);
    expect((await api.get(path(), { apiKey: sufficient.key })).status).toBe(200);
  });

  test('does not exist in another project, nor under an unknown id', async () => {
    const unknown = path().replace(/\/([a-z]{3}_[^/?]+)/, '/trn_00000000000000000000000000');
    for (const [where, key] of [
      [path(), otherKey],
      [unknown, apiKey],
    ] as const) {
      const { status, reason, body } = await api.get(where, { apiKey: key });
      expect([where, status, reason]).toEqual([where, 404, 'NOT_FOUND']);
      expect(body).toMatchObject({ success: false, data: null, error: { message: expect.any(String) } });
    }
  });
});

describe('bracket and matches', () => {
  test('are the same as what the public routes return', async () => {
    const bracket = await api.get<Enveloped<BracketOutput>>(`/data/tournaments/${cup.tournamentId}/bracket`, {
      apiKey,
    });
    expect(bracket.body.data).toEqual(await readBracket(api, cup.tournamentId));
    const one = await api.get<Enveloped<MatchOutput>>(`/data/matches/${matchId}`, { apiKey });
    const listed = await readMatches(api, cup.tournamentId);
    expect(one.body.data).toEqual(listed.find(({ id }) => id === matchId));
    const list = await api.get<Enveloped<MatchPage>>(`/data/tournaments/${cup.tournamentId}/matches`, { apiKey });
    expect(list.body.data.matches).toEqual(listed);
  });

  test('are read by slug too', async () => {
    const { slug } = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
    for (const what of ['bracket', 'matches']) {
      expect((await api.get(`/data/tournaments/${slug}/${what}`, { apiKey })).status).toBe(200);
    }
  });

  test('before the start there is no bracket, and no match', async () => {
    const { id } = await makeTournament(cup.project.id);
    const bracket = await api.get(`/data/tournaments/${id}/bracket`, { apiKey });
    expect([bracket.status, bracket.reason]).toEqual([409, 'BRACKET_NOT_AVAILABLE']);
    const list = await api.get<Enveloped<MatchPage>>(`/data/tournaments/${id}/matches`, { apiKey });
    expect(list.body.data).toMatchObject({ matches: [], total: 0, totalPages: 0 });
    const draft = await makeTournament(cup.project.id, { status: 'DRAFT' });
    for (const what of ['bracket', 'matches']) {
      expect((await api.get(`/data/tournaments/${draft.id}/${what}`, { apiKey })).reason).toBe('NOT_FOUND');
    }
  });

  test('pages and filters the matches', async () => {
    const read = async (query: string) => {
      const answer = await api.get<Enveloped<MatchPage>>(`/data/tournaments/${cup.tournamentId}/matches?${query}`, {
        apiKey,
      });
      expect(answer.status, answer.text).toBe(200);
      return answer.body.data;
    };
    const { matches, ...fields } = await read('limit=2&page=2');
    expect(matches.map(({ number }) => number)).toEqual([3]);
    expect(fields).toEqual({ total: 3, page: 2, limit: 2, totalPages: 2, hasNext: false, hasPrev: true });
    expect((await read('status=completed')).total).toBe(3);
    expect((await read('status=ready')).total).toBe(0);
    expect((await read('gameId=cs2')).total).toBe(3);
    expect((await read('gameId=dota2')).total).toBe(0);
    expect((await read(`participantId=${cup.participantIds[0]}`)).total).toBe(2);
    for (const query of ['limit=101', 'limit=0', 'page=0', 'status=COMPLETED']) {
      const refused = await api.get(`/data/tournaments/${cup.tournamentId}/matches?${query}`, { apiKey });
      expect([query, refused.status, refused.reason]).toEqual([query, 400, 'VALIDATION_FAILED']);
    }
  });
});

describe('match events', () => {
  const read = async (query: string) => {
    const answer = await api.get<Enveloped<FeedEvent[]>>(`/data/matches/${matchId}/events?${query}`, { apiKey });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.map(({ sequence }) => sequence);
  };

  test('are a plain array in the order of their sequence', async () => {
    const { body } = await api.get<Enveloped<FeedEvent[]>>(`/data/matches/${matchId}/events?limit=1`, { apiKey });
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^mev_/),
        matchId,
        sequence: 1,
        type: 'round_ended',
        timestamp: '2027-01-01T12:00:01.000Z',
        game: null,
        participantId: null,
        userId: null,
        payload: { round: 1 },
      },
    ]);
    expect(await read('limit=3&page=2')).toEqual([4, 5, 6]);
    expect(await read('limit=3&page=9')).toEqual([]);
  });

  test('are narrowed by time and type', async () => {
    expect(await read('from=2027-01-01T12:00:03Z&to=2027-01-01T13:00:05%2B01:00')).toEqual([3, 4, 5]);
    expect(await read('type=kill')).toEqual([2, 4, 6]);
  });

  test.each([
    'limit=101',
    'limit=0',
    'page=0',
    'from=now',
    'type=dance',
    'from=2027-01-02T00:00:00Z&to=2027-01-01T00:00:00Z',
  ])('refuse ?%s', async (query) => {
    const { status, reason } = await api.get(`/data/matches/${matchId}/events?${query}`, { apiKey });
    expect([status, reason]).toEqual([400, 'VALIDATION_FAILED']);
  });
});

describe('player stats', () => {
  const read = (id: string, query = '?gameId=cs2') =>
    api.get<Enveloped<DataPlayerStats>>(`/data/players/${id}/stats${query}`, { apiKey });

  test('count what was played', async () => {
    const { body } = await read(userId);
    expect(body.data).toEqual({
      userId,
      name: 'Player 1',
      gameId: 'cs2',
      matches: 2,
      wins: 2,
      losses: 0,
      winRate: 1,
      kills: 0,
      deaths: 0,
      assists: 0,
      kdRatio: 0,
      placements: [{ tournamentId: cup.tournamentId, rank: 1 }],
      lastPlayedAt: expect.any(String),
    });
  });

  test('are zeros in a game that the player has not played, and for a captain who has not played', async () => {
    const zeros = { matches: 0, wins: 0, winRate: 0, kdRatio: 0, placements: [], lastPlayedAt: null };
    expect((await read(userId, '?gameId=dota2')).body.data).toMatchObject({ ...zeros, gameId: 'dota2' });
    const { members } = await db.team.findUniqueOrThrow({ where: { id: teamId }, include: { members: true } });
    const captain = members.find(({ role }) => role === 'captain')?.userId ?? '';
    expect((await read(captain)).body.data).toMatchObject(zeros);
  });

  test('need a game, and exist for participants only', async () => {
    expect((await read(userId, '')).reason).toBe('VALIDATION_FAILED');
    expect((await read(cup.stranger.id)).reason).toBe('NOT_FOUND');
  });
});

test('a team is read with its members, and without contact data', async () => {
  const { body } = await api.get<Enveloped<DataTeam>>(`/data/teams/${teamId}`, { apiKey });
  expect(body.data).toEqual({
    id: teamId,
    name: expect.any(String),
    tag: null,
    members: [
      { userId: expect.any(String), name: 'Captain', role: 'captain', joinedAt: expect.any(String) },
      { userId: expect.any(String), name: expect.any(String), role: 'player', joinedAt: expect.any(String) },
    ],
    version: 1,
    disbandedAt: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const unregistered = await makeTeam(await makeUser());
  expect((await api.get(`/data/teams/${unregistered.id}`, { apiKey })).reason).toBe('NOT_FOUND');
});

test('a key that another process has brought to its limit reads no draw', async () => {
  const { key } = await makeApiKey(cup.project.id);
  const read = () => api.get(`/data/tournaments/${cup.tournamentId}/bracket`, { apiKey: key });
  const resolved = await resolveApiKey(key);
  if (!resolved) throw new Error('the key is not valid');
  const draws = async () => {
    let status = 0;
    const texts = await statementsOf(async () => {
      ({ status } = await read());
    });
    return { status, draws: texts.filter((text) => text.includes('"bracket"')).length };
  };
  expect(await draws()).toEqual({ status: 200, draws: 1 });
  const left = plans[resolved.plan].requestsPerMinute - 1;
  await Promise.all(Array.from({ length: left }, () => consumeKeyLimit(resolved)));
  expect(await draws()).toEqual({ status: 429, draws: 0 });
});
