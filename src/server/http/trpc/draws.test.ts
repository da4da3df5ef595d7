import { expect, onTestFinished, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { appRouter } from '@/server/routers/_app';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { RouteMeta } from '@/server/trpc';
import { installWorker } from '@/server/worker/offload';
import { WorkerThread } from '@/server/worker/thread';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { watchWorkerTurns } from '@/test/thread';
import { plainQuery } from './calls';

const api = setupTestServer();

test('before a worker thread gets a request, no more is looked up than one request may ask', async () => {
  // It starts with its first work, and there is none for it here.
  installWorker(new WorkerThread({ file: new URL('file:///never-started') }));
  onTestFinished(() => installWorker(undefined));
  const lookUps = async (size: number, suffix = '') => {
    const ids = Array.from({ length: size }, () => `${newId('trn')}${suffix}`);
    const inputs = Object.fromEntries(ids.map((tournamentId, index) => [index, { json: { tournamentId } }]));
    const paths = ids.map(() => 'matches.bracket').join(',');
    let status = 0;
    const texts = await statementsOf(async () => {
      const input = encodeURIComponent(JSON.stringify(inputs));
      ({ status } = await api.call('GET', `/api/trpc/${paths}?batch=1&input=${input}`));
    });
    return { status, sizes: texts.filter((text) => text.includes('currentParticipants')).length };
  };
  expect(await lookUps(2)).toEqual({ status: 404, sizes: 2 });
  expect(await lookUps(21)).toEqual({ status: 400, sizes: 0 });
  expect(await lookUps(2, '\0')).toEqual({ status: 400, sizes: 0 });
});

test('one request concerns one large draw, though several procedures of it', async () => {
  // Whatever this thread is asked for fails.
  installWorker(new WorkerThread({ file: new URL('file:///never-started') }));
  onTestFinished(() => installWorker(undefined));
  const { project, owner } = await makeProject();
  const make = async (currentParticipants: number) => {
    const { id, slug } = await makeTournament(project.id, { maxParticipants: 512 });
    await db.tournament.update({ where: { id }, data: { currentParticipants } });
    return { id, slug };
  };
  const [large, other, small] = [await make(300), await make(300), await make(30)];
  const read = (ids: string[], name = 'matches.bracket') => {
    const input = JSON.stringify(Object.fromEntries(ids.map((tournamentId, at) => [at, { json: { tournamentId } }])));
    const names = ids.map(() => name).join(',');
    return api.call('GET', `/api/trpc/${names}?batch=1&input=${encodeURIComponent(input)}`);
  };
  const several = { status: 400, text: expect.stringContaining('one large bracket') };
  expect(await read([large.id, other.id])).toMatchObject(several);
  expect(await read([large.id, small.id, small.slug, other.slug])).toMatchObject(several);
  expect((await read([large.id, large.slug, small.id])).status).toBe(500);
  // To draw is worked out afresh each time.
  expect(await read([large.id, large.id], 'matches.draw')).toMatchObject(several);
  expect((await read([small.id, small.id], 'matches.draw')).status).toBe(401);
  const change = (name: string, inputs: object[]) => {
    const body = Object.fromEntries(inputs.map((json, at) => [at, { json }]));
    return api.call('POST', `/api/trpc/${inputs.map(() => name).join(',')}?batch=1`, { bearer: owner.bearer, body });
  };
  // So long a body is read by the worker thread only.
  const long = { matchId: newId('mat'), reason: 'x'.repeat(5_000) };
  expect(await change('matches.correct', [long, long])).toMatchObject(several);
  // Each import makes a tournament of its own.
  const { id } = await makeTournament(project.id);
  const { body: file } = await api.get<object>(`/tournaments/${id}/export`, { bearer: owner.bearer });
  const made = { ...file, projectId: project.id };
  expect(await change('matches.importFile', [made, made])).toMatchObject(several);
});

test('who reads a long draw or changes one of its matches need not wait for those who work on all of one', async () => {
  const { tournamentId, owner } = await startCup(api, 4);
  const [matchId, other] = (await readMatches(api, tournamentId)).map(({ id }) => id);
  const participantIds = Array.from({ length: 3_000 }, () => newId('prt'));
  await db.bracket.update({ where: { tournamentId }, data: { participantIds } });
  const turns = watchWorkerTurns();
  const { bearer } = owner;
  const decided = { games: [{ scores: [1, 0] }], reason: 'A ruling.' };
  /** Whether it takes long, over both transports. */
  const isLong = async (method: string, path: string, name: string, inputs: object[], body?: object) => {
    await api.call(method, path, { bearer, body });
    const names = inputs.map(() => name).join(',');
    const calls = Object.fromEntries(inputs.map((json, at) => [at, { json }]));
    const query = method === 'GET' ? `&input=${encodeURIComponent(JSON.stringify(calls))}` : '';
    const sent = method === 'GET' ? {} : { body: calls };
    await api.call(method, `/api/trpc/${names}?batch=1${query}`, { bearer, ...sent });
    return turns.splice(0).map((turn) => turn.isLong);
  };
  const [read, match] = [`/tournaments/${tournamentId}`, `/matches/${matchId}`];
  const bracket = await isLong('GET', `${read}/bracket`, 'matches.bracket', [{ tournamentId }]);
  expect(bracket).toEqual(['at worst', 'at worst']);
  const resolve = await isLong('POST', `${match}/resolve`, 'matches.resolve', [{ matchId, ...decided }], decided);
  expect(resolve).toEqual([false, false]);
  const always = [true, true];
  expect(await isLong('GET', `${read}/export`, 'matches.exportFile', [{ tournamentId }])).toEqual(always);
  expect(await isLong('POST', `${read}/start`, 'matches.start', [{ tournamentId }])).toEqual(always);
  const reopened = { reason: 'A mistake.' };
  const reopen = await isLong('POST', `${match}/reopen`, 'matches.reopen', [{ matchId, ...reopened }], reopened);
  expect(reopen).toEqual(always);
  const both = [matchId, other].map((id) => ({ matchId: id, ...decided }));
  expect(await isLong('POST', `${match}/resolve`, 'matches.resolve', both, decided)).toEqual([false, true]);
});

test('what undoing a correction may bring back is brought back in the worker thread, though little is left of the draw', async () => {
  const { tournamentId, moderator } = await startCup(api, 60, { format: 'swiss', formatOptions: { rounds: 98 } });
  const { bearer } = moderator;
  const [first] = await readMatches(api, tournamentId);
  const matchId = first?.id ?? '';
  const turns = watchWorkerTurns();
  const send = async (what: string, body: object, name: string) => {
    const rest = await api.call('POST', `/matches/${matchId}/${what}`, { bearer, body });
    const trpc = await api.call('POST', `/api/trpc/${name}`, { bearer, body: { json: { matchId, ...body } } });
    return [rest.status, trpc.status];
  };
  const winnerId = first?.slots[0].participantId;
  expect(await send('resolve', { winnerId }, 'matches.resolve')).toEqual([200, 409]);
  expect(await send('correct', { winnerId, reason: 'A mistake.' }, 'matches.correct')).toEqual([200, 200]);
  expect(turns).toEqual([]);
  expect(await send('correct/undo', {}, 'matches.undoCorrection')).toEqual([503, 503]);
  expect(turns.map(({ isLong }) => isLong)).toEqual([true, true]);
});

test('an export with many games takes long, though none of them is played', async () => {
  const { tournamentId, owner } = await startCup(api, 20, { format: 'round_robin' });
  await db.match.updateMany({ where: { tournamentId }, data: { bestOf: 99 } });
  const turns = watchWorkerTurns();
  const { bearer } = owner;
  const input = { tournamentId, format: 'brackets-manager' };
  await api.call('GET', `/tournaments/${tournamentId}/export?format=brackets-manager`, { bearer });
  const query = `input=${encodeURIComponent(JSON.stringify({ json: input }))}`;
  await api.call('GET', `/api/trpc/matches.exportFile?${query}`, { bearer });
  expect(turns.map(({ isLong }) => isLong)).toEqual([true, true]);
});

test('a large draw is known by what the procedure reads, whatever else the request says', async () => {
  // Whatever this thread is asked for fails.
  installWorker(new WorkerThread({ file: new URL('file:///never-started') }));
  onTestFinished(() => installWorker(undefined));
  const { project } = await makeProject();
  const { id: tournamentId } = await makeTournament(project.id, { maxParticipants: 512 });
  await db.tournament.update({ where: { id: tournamentId }, data: { currentParticipants: 300 } });
  const read = async (query: string, input: unknown) =>
    (await api.call('GET', `/api/trpc/matches.bracket?${query}input=${encodeURIComponent(JSON.stringify(input))}`))
      .status;
  const input = { json: { tournamentId } };
  expect(await read('', input)).toBe(500);
  const other = { json: { tournamentId, matchId: newId('mat'), id: newId('trn') } };
  expect(await read('', other)).toBe(500);
  expect(await read('batch=0&', input)).toBe(500);
  expect(await read('batch&', input)).toBe(500);
  expect(await read('batch=1&', { 0: other })).toBe(500);
  expect(await read('batch=1&', { 0: { ...input, meta: { values: {} } } })).toBe(500);
});

test('a name that is encoded twice is no name', async () => {
  const { project } = await makeProject();
  const { id: tournamentId } = await makeTournament(project.id);
  const read = async (names: string, inputs: object) =>
    (await api.call('GET', `/api/trpc/${names}input=${encodeURIComponent(JSON.stringify(inputs))}`)).status;
  const input = { json: { tournamentId } };
  expect(await read('tournaments.get?', input)).toBe(200);
  expect(await read('tournaments%2Eget?', input)).toBe(200);
  for (const dot of ['%252E', '%25252E']) {
    expect([dot, await read(`tournaments${dot}get?`, input)]).toEqual([dot, 404]);
    expect([dot, await read(`matches${dot}bracket?`, input)]).toEqual([dot, 404]);
    expect([dot, await read(`tournaments${dot}live?`, input)]).toEqual([dot, 404]);
  }
  const both = { 0: input, 1: input };
  // Of a tournament that has not started.
  expect(await read('matches.bracket%2Cmatches.bracket?batch=1&', both)).toBe(409);
  expect(await read('matches.bracket%252Cmatches.bracket?batch=1&', both)).toBe(404);
});

test('every procedure of a whole draw names its tournament, but the one that makes it', () => {
  type Procedure = { _def: { meta?: RouteMeta; inputs: { shape: object }[] } };
  const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>);
  const named = procedures.flatMap(
    ([
      name,
      {
        _def: { meta, inputs },
      },
    ]) => {
      if (!meta?.wholeDraw) return [];
      const keys = new Set(inputs.flatMap(({ shape }) => Object.keys(shape)));
      return [[name, ...['matchId', 'tournamentId', 'id'].filter((key) => keys.has(key))]];
    },
  );
  expect(named.filter(({ length }) => length !== 2)).toEqual([['matches.importFile']]);
});

test('who has no account takes no turn among those who change a large draw', async () => {
  // Whatever this thread is asked for fails.
  installWorker(new WorkerThread({ file: new URL('file:///never-started') }));
  onTestFinished(() => installWorker(undefined));
  const { project } = await makeProject();
  const { id: tournamentId } = await makeTournament(project.id, { maxParticipants: 512 });
  await db.tournament.update({ where: { id: tournamentId }, data: { currentParticipants: 300 } });
  const start = async (rest: object, options: object = {}) => {
    const body = { json: { tournamentId, ...rest } };
    return (await api.call('POST', '/api/trpc/matches.start', { body, ...options })).status;
  };
  expect(await start({})).toBe(401);
  expect(await start({ padding: 'x'.repeat(100_000) })).toBe(413);
  expect(await start({}, { headers: { Origin: 'https://elsewhere.test' } })).toBe(403);
  expect(await start({}, { bearer: (await makeUser()).bearer })).toBe(500);
});

test('many who leave a small draw at once leave it in the worker thread, and few do not', async () => {
  // Whatever this thread is asked for fails.
  installWorker(new WorkerThread({ file: new URL('file:///never-started') }));
  onTestFinished(() => installWorker(undefined));
  const { tournamentId, organizer } = await startCup(api, 40);
  const reinstate = async (participantIds: string[]) => {
    const body = { json: { tournamentId, action: 'reinstate', participantIds } };
    return (await api.call('POST', '/api/trpc/participants.bulk', { bearer: organizer.bearer, body })).status;
  };
  const ids = Array.from({ length: 30 }, () => newId('prt'));
  expect(await reinstate(ids.slice(0, 10))).toBe(200);
  expect(await reinstate(ids.map(() => ids[0] ?? ''))).toBe(200);
  expect(await reinstate(ids)).toBe(500);
});

test('tRPC reads of a query what is read before, in the same way', () => {
  const cases = {
    'batch=1&input=%7B%7D': 'batch=1&input=%7B%7D',
    'input=a&input=b&batch=0&batch=1': 'batch=0&input=a',
    'connectionParams=%7B%7D&lastEventId=7&input=a+b': 'input=a+b',
    'input=%zz%ff&batch': 'batch=&input=%25zz%EF%BF%BD',
    'input=a#&batch=1': 'batch=1&input=a%23',
  };
  for (const [query, plain] of Object.entries(cases)) {
    expect(plainQuery(query)).toBe(plain);
    expect(new URL(`http://host/?${plain}`).search).toBe(`?${plain}`);
  }
});
