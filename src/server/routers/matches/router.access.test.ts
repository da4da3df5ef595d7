import { beforeAll, expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeApiKey, makeUser } from '@/test/factories';
import { type CallOptions, setupTestServer } from '@/test/server';
import { makeCup, readMatches, startCup } from './matches.fixture';

const api = setupTestServer();
const callers = ['player', 'opponent', 'other', 'moderator', 'organizer', 'stranger', 'apiKey', 'nobody'] as const;
type Caller = (typeof callers)[number];

const everyone = (status: number) =>
  Object.fromEntries(callers.map((caller) => [caller, status])) as Record<Caller, number>;
const refused = { ...everyone(403), apiKey: 401, nobody: 401 };
const staff = { ...refused, moderator: 200, organizer: 200 };
const organizers = { ...refused, organizer: 200 };
const involved = { ...staff, player: 200, opponent: 200 };
/** The other side and staff may answer what the player said. */
const answering = { ...involved, player: 409 };

/** The same callers with 201 instead of 200. */
const created = (expected: Record<Caller, number>) =>
  Object.fromEntries(
    callers.map((caller) => [caller, expected[caller] === 200 ? 201 : expected[caller]]),
  ) as typeof expected;

type Facts = { a: string; b: string };
type Route = [
  name: string,
  method: string,
  path: string,
  expected: Record<Caller, number>,
  more?: { body?: (facts: Facts) => unknown; before?: 'report' | 'proposal' | 'result' | 'published' },
];

const inOneHour = () => ({ scheduledAt: new Date(Date.now() + 3_600_000).toISOString() });
const won = () => ({ games: [{ scores: [1, 0] }] });

const routes: Route[] = [
  ['bracket', 'GET', '/tournaments/:t/bracket', everyone(200)],
  ['matches', 'GET', '/tournaments/:t/matches', everyone(200)],
  ['standings', 'GET', '/tournaments/:t/standings', everyone(200)],
  ['match', 'GET', '/matches/:m', everyone(200)],
  ['draw', 'GET', '/tournaments/:t/draw', staff, { before: 'published' }],
  ['redraw', 'POST', '/tournaments/:t/draw', organizers],
  ['start', 'POST', '/tournaments/:t/start', organizers, { before: 'published' }],
  ['complete', 'POST', '/tournaments/:t/complete', { ...organizers, organizer: 409 }],
  ['report', 'POST', '/matches/:m/report', involved, { body: won }],
  ['confirm', 'POST', '/matches/:m/confirm', answering, { before: 'report' }],
  ['dispute', 'POST', '/matches/:m/dispute', answering, { before: 'report', body: () => ({ reason: 'Wrong map' }) }],
  ['resolve', 'POST', '/matches/:m/resolve', staff, { body: won }],
  ['forfeit', 'POST', '/matches/:m/forfeit', staff, { body: ({ a }) => ({ participantIds: [a] }) }],
  ['reschedule', 'POST', '/matches/:m/reschedule', involved, { body: inOneHour }],
  ['accept a time', 'POST', '/matches/:m/reschedule/accept', answering, { before: 'proposal' }],
  ['decline a time', 'POST', '/matches/:m/reschedule/decline', involved, { before: 'proposal' }],
  ['start a match', 'POST', '/matches/:m/start', staff],
  ['correct', 'POST', '/matches/:m/correct', staff, { before: 'result', body: ({ b }) => ({ winnerId: b }) }],
  ['reopen', 'POST', '/matches/:m/reopen', staff, { before: 'result' }],
  ['station', 'POST', '/matches/:m/station', staff, { body: () => ({ stationId: null }) }],
  ['call', 'POST', '/matches/:m/call', staff],
  ['stations', 'GET', '/tournaments/:t/stations', everyone(200)],
  ['add a station', 'POST', '/tournaments/:t/stations', created(staff), { body: () => ({ name: 'Station 1' }) }],
  ['stream queue', 'GET', '/tournaments/:t/stream-queue', everyone(200)],
  ['set the stream queue', 'PUT', '/tournaments/:t/stream-queue', staff, { body: () => ({ matchIds: [] }) }],
  ['withdraw', 'POST', '/tournaments/:t/participants/:a/withdraw', staff],
];

let ids: Awaited<ReturnType<typeof startCup>>;
beforeAll(async () => {
  ids = await startCup(api, 2);
});

/** A cup of four in the state that a route needs, with the credentials of every caller. */
async function prepare(before: NonNullable<Route[4]>['before']) {
  const cup = before === 'published' ? { ...(await makeCup(4)), bearerOf: ids.bearerOf } : await startCup(api, 4);
  const match = before === 'published' ? null : (await readMatches(api, cup.tournamentId))[0];
  const [a, b] = match ? match.slots.map(({ participantId }) => participantId ?? '') : cup.participantIds;
  const other = cup.participantIds.find((id) => id !== a && id !== b);
  const { key } = await makeApiKey(cup.project.id);
  const credentials: Record<Caller, CallOptions> = {
    player: { bearer: await cup.bearerOf(a) },
    opponent: { bearer: await cup.bearerOf(b) },
    other: { bearer: await cup.bearerOf(other) },
    moderator: { bearer: cup.moderator.bearer },
    organizer: { bearer: cup.organizer.bearer },
    stranger: { bearer: cup.stranger.bearer },
    apiKey: { apiKey: key },
    nobody: {},
  };
  const post = (what: string, by: Caller, body: unknown) =>
    api.post(`/matches/${match?.id}/${what}`, { ...credentials[by], body });
  if (before === 'report') await post('report', 'player', won());
  if (before === 'proposal') await post('reschedule', 'player', inOneHour());
  if (before === 'result') await post('resolve', 'moderator', won());
  return { cup, credentials, matchId: match?.id ?? '', a: a ?? '', b: b ?? '' };
}

test.each(routes)(
  '%s',
  async (_name, method, path, expected, more = {}) => {
    const statuses: Partial<Record<Caller, number>> = {};
    for (const caller of callers) {
      const { cup, credentials, matchId, a, b } = await prepare(more.before);
      const address = path.replace(':t', cup.tournamentId).replace(':m', matchId).replace(':a', a);
      const count = () => db.domainEvent.count({ where: { projectId: cup.project.id } });
      const before = await count();
      const answer = await api.call(method, address, { ...credentials[caller], body: more.body?.({ a, b }) });
      statuses[caller] = answer.status;
      if (answer.status >= 400) expect(await count()).toBe(before);
    }
    expect(statuses).toEqual(expected);
  },
  60_000,
);

test('a private tournament is there for everyone who plays in it, and for nobody who was rejected', async () => {
  const cup = await startCup(api, 4, { visibility: 'private' });
  const [player] = cup.participantIds;
  const bearer = await cup.bearerOf(player);
  const others = (await readMatches(api, cup.tournamentId, bearer)).filter(
    ({ slots }) => !slots.some(({ participantId }) => participantId === player),
  );
  const paths = [
    ...['', '/bracket', '/standings', '/matches', '/participants'].map(
      (path) => `/tournaments/${cup.tournamentId}${path}`,
    ),
    ...others.map(({ id }) => `/matches/${id}`),
  ];
  expect(others.length).toBeGreaterThan(0);
  const statuses = async () =>
    new Set(await Promise.all(paths.map(async (path) => (await api.get(path, { bearer })).status)));
  expect(await statuses()).toEqual(new Set([200]));
  // Somebody else's match is seen, and still not theirs to report.
  expect((await api.post(`/matches/${others[0]?.id}/report`, { bearer, body: won() })).status).toBe(403);
  await db.participant.update({ where: { id: player }, data: { registrationStatus: 'rejected' } });
  expect(await statuses()).toEqual(new Set([404]));
});

test('a roster member of a private tournament sees it, and nobody sees a draft', async () => {
  const cup = await makeCup(2, { visibility: 'private' });
  const [participantId = ''] = cup.participantIds;
  const { id: userId, bearer } = await makeUser();
  const path = `/tournaments/${cup.tournamentId}`;
  expect((await api.get(path, { bearer })).status).toBe(404);
  await db.rosterMember.create({
    data: { participantId, tournamentId: cup.tournamentId, userId, role: 'player', acceptedAt: new Date() },
  });
  expect((await api.get(path, { bearer })).status).toBe(200);
  await db.tournament.update({ where: { id: cup.tournamentId }, data: { status: 'DRAFT', publishedAt: null } });
  expect((await api.get(path, { bearer })).status).toBe(404);
});

test('matches of private tournaments do not exist for strangers', async () => {
  const cup = await startCup(api, 2, { visibility: 'private' });
  const { id = '' } = (await db.match.findFirst({ where: { tournamentId: cup.tournamentId } })) ?? {};
  for (const path of [`/matches/${id}`, `/tournaments/${cup.tournamentId}/bracket`]) {
    expect((await api.get(path, { bearer: cup.stranger.bearer })).status).toBe(404);
    expect((await api.get(path, { bearer: cup.moderator.bearer })).status).toBe(200);
  }
  const report = { bearer: cup.stranger.bearer, body: won() };
  expect((await api.post(`/matches/${id}/report`, report)).status).toBe(404);
  expect((await api.get(`/matches/${id}`, { bearer: await cup.bearerOf(cup.participantIds[0]) })).status).toBe(200);
});
