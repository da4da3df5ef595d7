import { describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import { countEvents, makeCup, playOut, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { MatchOutput, StandingsOutput } from '@/server/routers/matches/schema';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

const score = (...games: [number, number][]) => ({ games: games.map((scores) => ({ scores })) });

describe('a tournament from start to champion', () => {
  test('single elimination of 6 with a third-place match', async () => {
    const cup = await startCup(api, 6, { formatOptions: { thirdPlace: true } });
    expect(await countEvents(cup.project.id)).toEqual({ 'tournament.started': 1, 'match.created': 6 });
    const active = await db.participant.count({ where: { tournamentId: cup.tournamentId, status: 'active' } });
    expect(active).toBe(6);

    const [first] = (await readMatches(api, cup.tournamentId)).filter(({ status }) => status === 'ready');
    if (!first) throw new Error('no match is ready');
    const [a, b] = first.slots;
    const reported = await api.post<MatchOutput>(`/matches/${first.id}/report`, {
      bearer: await cup.bearerOf(b.participantId),
      body: score([3, 16]),
    });
    expect(reported.status, reported.text).toBe(200);
    expect(reported.body).toMatchObject({
      status: 'in_progress',
      report: { by: b.participantId, winnerId: b.participantId },
    });
    const confirmed = await api.post<MatchOutput>(`/matches/${first.id}/confirm`, {
      bearer: await cup.bearerOf(a.participantId),
    });
    expect(confirmed.status, confirmed.text).toBe(200);
    expect(confirmed.body).toMatchObject({
      status: 'completed',
      winnerId: b.participantId,
      report: null,
      slots: [
        { score: 0, result: 'loss' },
        { score: 1, result: 'win' },
      ],
      games: [{ scores: [3, 16], winnerId: b.participantId }],
    });
    await playOut(api, cup);

    const { body } = await api.get<{ status: string; completedAt: string | null }>(`/tournaments/${cup.tournamentId}`);
    expect(body).toMatchObject({ status: 'COMPLETED', completedAt: expect.any(String) });
    const standings = await api.get<StandingsOutput>(`/tournaments/${cup.tournamentId}/standings`);
    expect(standings.body.final.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 5]);
    expect(await countEvents(cup.project.id)).toEqual({
      'tournament.started': 1,
      'match.created': 6,
      'match.started': 1,
      'match.completed': 6,
      'participant.eliminated': 5,
      'tournament.completed': 1,
    });
    const statuses = await db.participant.groupBy({
      by: ['status'],
      where: { tournamentId: cup.tournamentId },
      _count: true,
    });
    expect(Object.fromEntries(statuses.map(({ status, _count }) => [status, _count]))).toEqual({
      active: 1,
      eliminated: 5,
    });
  });

  test.each([
    ['double_elimination', 8, {}],
    ['round_robin', 5, {}],
    ['swiss', 9, { playoffs: 4 }],
    ['groups_to_knockout', 8, { groups: 2 }],
  ] as const)(
    '%s of %i',
    async (format, count, formatOptions) => {
      const cup = await startCup(api, count, { format, formatOptions });
      await playOut(api, cup);
      const { status } = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
      expect(status).toBe('COMPLETED');
      const standings = await api.get<StandingsOutput>(`/tournaments/${cup.tournamentId}/standings`);
      expect(standings.body.final).toHaveLength(count);
      expect(standings.body.final[0]?.participantId).toBe(cup.participantIds[0]);
      const events = await countEvents(cup.project.id);
      expect(events).toMatchObject({ 'tournament.completed': 1 });
      const played = await db.match.count({ where: { tournamentId: cup.tournamentId, decidedBy: 'result' } });
      expect(events['match.completed']).toBe(played);
    },
    60_000,
  );

  test('statistics count what was played, and the final rank', async () => {
    const cup = await startCup(api, 4);
    await playOut(api, cup);
    const stats = await db.playerStats.findMany({
      where: { projectId: cup.project.id },
      orderBy: [{ wins: 'desc' }, { matches: 'desc' }],
    });
    expect(stats.map(({ matches, wins, losses }) => [matches, wins, losses])).toEqual([
      [2, 2, 0],
      [2, 1, 1],
      [1, 0, 1],
      [1, 0, 1],
    ]);
    expect(stats.map(({ placements }) => placements)).toEqual(
      [1, 2, 3, 3].map((rank) => ({ [cup.tournamentId]: rank })),
    );
  });
});

describe('a report', () => {
  async function oneMatch(data: Parameters<typeof startCup>[2] = {}) {
    const cup = await startCup(api, 2, data);
    const [match] = await readMatches(api, cup.tournamentId);
    if (!match) throw new Error('no match');
    const [a, b] = await Promise.all(match.slots.map(({ participantId }) => cup.bearerOf(participantId)));
    const send = (what: string, bearer: string | undefined, body?: unknown) =>
      api.post<MatchOutput>(`/matches/${match.id}/${what}`, { bearer, body });
    return { cup, match, a, b, send };
  }

  test('is confirmed by an equal one of the opponent', async () => {
    const { a, b, send } = await oneMatch({ formatOptions: { bestOf: 3 } });
    expect((await send('report', a, score([16, 3], [16, 9]))).body.status).toBe('in_progress');
    expect((await send('report', b, score([16, 3], [16, 9]))).body.status).toBe('completed');
  });

  test('can be changed by its own side until the opponent answers', async () => {
    const { a, send } = await oneMatch();
    await send('report', a, score([16, 3]));
    const second = await send('report', a, score([3, 16]));
    expect(second.body).toMatchObject({ status: 'in_progress', report: { games: [{ scores: [3, 16] }] } });
  });

  test('starts its time again when its scores change, and waits without limit once its winner has', async () => {
    const { a, b, send } = await oneMatch();
    const timeOf = async (...scores: [number, number]) =>
      (await send('report', a, score(scores))).body.report?.confirmBy ?? null;
    const first = await timeOf(3, 16);
    const later = await timeOf(4, 16);
    expect(Date.parse(later ?? '')).toBeGreaterThan(Date.parse(first ?? ''));
    expect(await timeOf(16, 3)).toBeNull();
    expect(await timeOf(16, 4)).toBeNull();
    expect(await timeOf(4, 16)).toBeNull();
    expect((await send('dispute', b, { reason: 'We lost' })).body.status).toBe('disputed');
  });

  test('is confirmed as it was seen: one that was changed meanwhile is refused', async () => {
    const { cup, match, a, b, send } = await oneMatch();
    const seen = await send('report', a, score([3, 16]));
    const swapped = await send('report', a, score([16, 3]));
    for (const bearer of [b, cup.moderator.bearer]) {
      const late = await send('confirm', bearer, { version: seen.body.version });
      expect([late.status, late.reason]).toEqual([412, 'VERSION_MISMATCH']);
    }
    const page = api.trpc(b).matches.confirm.mutate({ matchId: match.id, version: seen.body.version });
    await expect(page).rejects.toMatchObject({ data: { reason: 'VERSION_MISMATCH' } });
    const confirmed = await send('confirm', b, { version: swapped.body.version });
    expect(confirmed.body).toMatchObject({ status: 'completed', games: [{ scores: [16, 3] }] });
  });

  test('that differs makes a dispute, which a moderator resolves', async () => {
    const { cup, a, b, send } = await oneMatch();
    await send('report', a, score([16, 3]));
    const differing = await send('report', b, score([3, 16]));
    expect(differing.body).toMatchObject({ status: 'disputed', counterReport: { games: [{ scores: [3, 16] }] } });
    expect((await send('report', a, score([16, 3]))).reason).toBe('INVALID_STATE');
    expect((await send('confirm', a)).reason).toBe('INVALID_STATE');
    const ruled = await send('resolve', cup.moderator.bearer, score([16, 14]));
    expect(ruled.body).toMatchObject({ status: 'completed', counterReport: null });
    expect(await countEvents(cup.project.id)).toMatchObject({ 'match.disputed': 1, 'match.completed': 1 });
    expect(await db.auditEntry.count({ where: { action: 'match.resolve', projectId: cup.project.id } })).toBe(1);
  });

  test('is disputed with a reason', async () => {
    const { match, a, b, send } = await oneMatch();
    expect((await send('dispute', b, { reason: 'Wrong map' })).reason).toBe('NOTHING_TO_CONFIRM');
    await send('report', a, score([16, 3]));
    expect((await send('dispute', b, { reason: 'Wrong map' })).body.status).toBe('disputed');
    const [message] = await db.matchMessage.findMany({ where: { matchId: match.id, kind: 'dispute' } });
    expect(message).toMatchObject({ text: 'Wrong map' });
  });

  test('needs a result that the match can have', async () => {
    const { a, send } = await oneMatch({ formatOptions: { bestOf: 3 } });
    for (const body of [score([16, 3]), score([1, 0], [1, 0], [1, 0]), {}, { winnerId: 'prt_nobody' }]) {
      expect((await send('report', a, body)).reason).toBe('INVALID_RESULT');
    }
    expect((await send('report', a, { games: [{ scores: [-1, 2] }] })).status).toBe(400);
  });

  test('with level scores needs a winner', async () => {
    const { match, a, b, send } = await oneMatch();
    expect((await send('report', a, score([2, 2]))).reason).toBe('INVALID_RESULT');
    const winnerId = match.slots[1].participantId;
    await send('report', a, { ...score([2, 2]), winnerId });
    expect((await send('confirm', b)).body).toMatchObject({ winnerId, games: [{ scores: [2, 2], winnerId }] });
  });

  test('is refused to the wrong people and at the wrong time', async () => {
    const { cup, match, a, b, send } = await oneMatch();
    expect((await send('report', cup.stranger.bearer, score([1, 0]))).reason).toBe('NOT_IN_MATCH');
    expect((await send('report', undefined, score([1, 0]))).status).toBe(401);
    expect((await send('resolve', a, score([1, 0]))).reason).toBe('FORBIDDEN');
    await send('report', a, score([1, 0]));
    expect((await send('confirm', a)).reason).toBe('NOTHING_TO_CONFIRM');
    const stale = await api.post(`/matches/${match.id}/report`, {
      bearer: a,
      body: score([1, 0]),
      headers: { 'If-Match': '"1"' },
    });
    expect(stale.status).toBe(412);
    await send('confirm', b);
    expect((await send('report', a, score([1, 0]))).reason).toBe('MATCH_ALREADY_DECIDED');
  });

  test('is left to staff where the tournament says so', async () => {
    const { cup, a, send } = await oneMatch({ resultMode: 'staff' });
    expect((await send('report', a, score([1, 0]))).reason).toBe('STAFF_RESULTS_ONLY');
    expect((await send('report', cup.moderator.bearer, score([1, 0]))).body.status).toBe('completed');
  });
});

test('before the start there is no bracket, and no matches', async () => {
  const cup = await makeCup(4);
  expect((await api.get(`/tournaments/${cup.tournamentId}/bracket`)).reason).toBe('BRACKET_NOT_AVAILABLE');
  const list = await api.get<{ total: number }>(`/tournaments/${cup.tournamentId}/matches`);
  expect(list.body.total).toBe(0);
});
