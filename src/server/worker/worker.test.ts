import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { db } from '@/server/db';
import { makeCup, readBracket, startCup } from '@/server/routers/matches/matches.fixture';
import { makeApiKey, makeUser } from '@/test/factories';
import { follow } from '@/test/live';
import { startTestServer, type TestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { bundledWorker } from '@/test/thread';

/** Enough for a draw that the worker thread reads and changes. */
const large = 300;

let api: TestServer;
let cup: Awaited<ReturnType<typeof startCup>>;
beforeAll(async () => {
  api = await startTestServer({ worker: await bundledWorker(new URL('../../worker.ts', import.meta.url)) });
  cup = await startCup(api, large);
});
afterAll(() => api.stop());

/** Statements of this thread that read matches, or participants by the hundred. */
const reads = (texts: string[]) => texts.filter((text) => /json_agg|jsonb_to_recordset|findMany/.test(text));

test('this thread neither reads nor changes a large draw', async () => {
  const { key } = await makeApiKey(cup.project.id, { scopes: ['read:tournaments'] });
  const { tournamentId, moderator, organizer } = cup;
  const texts = await statementsOf(async () => {
    const bracket = await readBracket(api, tournamentId);
    const first = bracket.stages[0]?.rounds.flatMap(({ matches }) => matches).find(({ status }) => status === 'ready');
    const winnerId = first?.slots[0].participantId;
    const resolved = await api.post(`/matches/${first?.id}/resolve`, { bearer: moderator.bearer, body: { winnerId } });
    expect(resolved.status, resolved.text).toBe(200);
    expect(resolved.body).toMatchObject({ id: first?.id, winnerId });
    const standings = await api.get<{ stages: unknown[] }>(`/tournaments/${tournamentId}/standings`);
    expect(standings.body.stages).toHaveLength(1);
    const data = await api.get<{ data: unknown }>(`/data/tournaments/${tournamentId}/bracket`, { apiKey: key });
    expect(data.headers.get('x-ratelimit-limit')).not.toBeNull();
    const after = await readBracket(api, tournamentId);
    expect(data.body.data).toEqual(after);
    expect(await api.trpc().matches.bracket.query({ tournamentId })).toEqual(after);
    expect(await api.trpc().matches.standings.query({ tournamentId })).toEqual(standings.body);
    const file = await api.get(`/tournaments/${tournamentId}/export`, organizer);
    expect(file.body).toMatchObject({ format: 'laurel' });
  });
  expect(reads(texts)).toEqual([]);
});

test('its responses are whole, whatever the client accepts', async () => {
  const input = encodeURIComponent(JSON.stringify({ 0: { json: { tournamentId: cup.tournamentId } } }));
  for (const name of ['trpc-accept', 'accept']) {
    const headers = { [name]: 'application/jsonl' };
    const answer = await api.call('GET', `/api/trpc/matches.bracket?batch=1&input=${input}`, { headers });
    expect([name, answer.headers.get('transfer-encoding')]).toEqual([name, null]);
    expect(answer.body).toEqual([{ result: expect.anything() }]);
  }
});

test('a start and an import happen there, too', async () => {
  const { tournamentId, organizer, project } = await makeCup(large);
  const texts = await statementsOf(async () => {
    const started = await api.trpc(organizer.bearer).matches.start.mutate({ tournamentId });
    expect(started.status).toBe('IN_PROGRESS');
    const file = await api.get(`/tournaments/${tournamentId}/export`, organizer);
    const path = `/projects/${project.id}/tournaments/import`;
    const imported = await api.post(path, { bearer: organizer.bearer, body: file.body });
    expect(imported.status, imported.text).toBe(201);
  });
  expect(reads(texts)).toEqual([]);
  expect(await db.match.count({ where: { tournamentId } })).toBe(511);
});

test('so does an import of a few kilobytes, which can be thousands of matches', async () => {
  const { organizer, project } = await makeCup(2);
  const participants = Array.from({ length: 40 }, (_, at) => ({ id: `${at}`, name: `Guest ${at}` }));
  const body = {
    ...{ format: 'laurel' as const, version: 1 as const, participants },
    tournament: {
      ...{ name: 'Round robin', game: 'cs2', format: 'round_robin' as const, maxParticipants: 64 },
      ...{ startDate: '2031-05-17T18:00:00.000Z', status: 'IN_PROGRESS' as const },
    },
    bracket: {
      ...{ randomSeed: 'x', participants: participants.map(({ id }) => id), matches: [] },
      stages: [{ number: 1, type: 'round_robin' as const }],
    },
  };
  expect(JSON.stringify(body).length).toBeLessThan(4_096);
  const texts = await statementsOf(async () => {
    const { bearer } = organizer;
    const imported = await api.post(`/projects/${project.id}/tournaments/import`, { bearer, body });
    expect(imported.status, imported.text).toBe(201);
    const other = await api.trpc(bearer).matches.importFile.mutate({ ...body, projectId: project.id });
    expect(other.status).toBe('IN_PROGRESS');
  });
  expect(reads(texts)).toEqual([]);
});

test('so does a list of a hundred participants, whatever the size of the tournament', async () => {
  const { organizer, tournamentId } = await makeCup(2);
  const csv = `Email\n${Array.from({ length: 120 }, (_, at) => `${'a'.repeat(60)}${at}@laurel.test\n`).join('')}`;
  expect(csv.length).toBeLessThan(10_000);
  const { bearer } = organizer;
  const path = `/tournaments/${tournamentId}/participants/import/preview`;
  const texts = await statementsOf(async () => {
    const previewed = await api.post(path, { bearer, body: { csv } });
    expect(previewed.status, previewed.text).toBe(200);
    await api.trpc(bearer).participants.importPreview.mutate({ tournamentId, csv });
  });
  expect(texts.filter((text) => /FROM "public"."user"/.test(text))).toEqual([]);
});

test('the rank of a participant taken over after the end is read there', async () => {
  const { tournamentId, organizer, project, participantIds } = await startCup(api, large);
  const [participantId] = participantIds;
  await db.participant.update({ where: { id: participantId }, data: { userId: null } });
  await db.tournament.update({ where: { id: tournamentId }, data: { status: 'COMPLETED', completedAt: new Date() } });
  // As if everybody who was to beat them had.
  const match = await db.match.findFirstOrThrow({ where: { tournamentId, participantAId: participantId } });
  const winnerId = match.participantBId;
  await db.match.update({ where: { id: match.id }, data: { status: 'completed', decidedBy: 'result', winnerId } });
  const path = `/tournaments/${tournamentId}/participants/${participantId}/claim-link`;
  const { body } = await api.post<{ token: string }>(path, organizer);
  const player = await makeUser();
  const texts = await statementsOf(async () => {
    const accepted = await api.post('/claims/accept', { bearer: player.bearer, body });
    expect(accepted.status, accepted.text).toBe(200);
  });
  expect(texts.filter((text) => text.includes('json_agg'))).toEqual([]);
  const stats = await db.playerStats.findFirst({ where: { projectId: project.id, userId: player.id } });
  expect(stats?.placements).toEqual({ [tournamentId]: expect.any(Number) });
});

test('refusals are the same from there', async () => {
  const { tournamentId, stranger, moderator } = cup;
  const match = await db.match.findFirstOrThrow({ where: { tournamentId, status: 'pending' } });
  const body = { winnerId: cup.participantIds[0] };
  const path = `/matches/${match.id}/resolve`;
  expect((await api.post(path, { body })).status).toBe(401);
  expect((await api.post(path, { bearer: stranger.bearer, body })).status).toBe(403);
  const early = await api.post<{ error: { requestId: string } }>(path, {
    bearer: moderator.bearer,
    body,
    headers: { 'X-Request-Id': 'asked-elsewhere' },
  });
  expect(early.status).toBe(409);
  expect(early.body.error.requestId).toBe('asked-elsewhere');
  const unknown = api.trpc().matches.bracket.query({ tournamentId: 'no-such-cup' });
  await expect(unknown).rejects.toMatchObject({ data: { reason: 'NOT_FOUND' } });
  await db.tournament.update({ where: { id: tournamentId }, data: { visibility: 'private' } });
  expect((await api.get(`/tournaments/${tournamentId}/bracket`, stranger)).status).toBe(404);
  expect((await api.get(`/tournaments/${tournamentId}/bracket`, moderator)).status).toBe(200);
  await db.tournament.update({ where: { id: tournamentId }, data: { visibility: 'public' } });
});

test('a response from there can be kept, and says when it is still the same', async () => {
  const path = `/tournaments/${cup.tournamentId}/bracket`;
  const first = await api.get(path);
  const etag = first.headers.get('etag') ?? '';
  expect(etag).not.toBe('');
  expect((await api.get(path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
});

test('what a page shows of it comes from there, too', async () => {
  const { tournamentId } = cup;
  const texts = await statementsOf(async () => {
    expect((await api.trpc().matches.standingsPage.query({ tournamentId })).stages).toHaveLength(1);
    expect(await api.trpc().matches.champion.query({ tournamentId })).toBeNull();
  });
  expect(reads(texts)).toEqual([]);
});

test('so do its calendar, its stations and its stream queue, which may name every match', async () => {
  const { tournamentId } = cup;
  const station = {
    id: newId('sta'),
    tournamentId,
    name: 'Main',
    position: 1,
    streamUrl: 'https://stream.example/main',
  };
  await db.station.create({ data: station });
  const only = { tournamentId, status: 'pending' } as const;
  await db.match.updateMany({ where: only, data: { stationId: station.id, scheduledAt: new Date() } });
  const texts = await statementsOf(async () => {
    for (const path of ['calendar.ics', 'stations', `stations/${station.id}`, 'stream-queue']) {
      expect((await api.get(`/tournaments/${tournamentId}/${path}`)).status, path).toBe(200);
    }
    expect((await api.trpc().matches.stations.list.query({ tournamentId })).items[0]?.queue).not.toEqual([]);
  });
  // How large the tournament is, this thread asks now and then.
  const named = texts.filter((text) => text.includes('"match" m') && !text.includes('"ofGames"'));
  expect(named).toEqual([]);
  await db.station.delete({ where: { id: station.id } });
});

test('a page that watches it gets what changed, and this thread does not read it for that', async () => {
  const { tournamentId, moderator } = cup;
  const input = encodeURIComponent(JSON.stringify({ json: { tournamentId } }));
  const match = await db.match.findFirstOrThrow({ where: { tournamentId, status: 'ready' } });
  // Its own address, whose first look is made in the quick thread: the tests before have used up what this one may have of it.
  env.TRUSTED_PROXIES = 1;
  onTestFinished(() => void Object.assign(env, { TRUSTED_PROXIES: 0 }));
  const texts = await statementsOf(async () => {
    const page = await follow(`${api.url}/api/trpc/tournaments.live?input=${input}`, undefined, '198.51.100.30');
    await page.until('live.resumed');
    const body = { winnerId: match.participantAId };
    expect((await api.post(`/matches/${match.id}/resolve`, { bearer: moderator.bearer, body })).status).toBe(200);
    await page.until('match.completed');
    const [, notice = ''] = /data: (.*match\.completed.*)/.exec(page.text()) ?? [];
    const { json } = JSON.parse(notice) as { json: { patch: string } };
    const { matches } = JSON.parse(json.patch) as { matches: { id: string; winnerId: string | null }[] };
    expect(matches.find(({ id }) => id === match.id)?.winnerId).toBe(match.participantAId);
    expect(matches.length).toBeLessThan(4);
  });
  expect(reads(texts)).toEqual([]);
});
