import { describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import { setupTestServer } from '@/test/server';
import { countEvents, playOut, readMatches, startCup } from '../matches.fixture';
import type { CorrectionOutput, MatchOutput, StandingsOutput } from '../schema';

const api = setupTestServer();

describe('a correction', () => {
  test('of a final that is over changes the champion and nothing else', async () => {
    const cup = await startCup(api, 4);
    await playOut(api, cup);
    const final = (await readMatches(api, cup.tournamentId)).at(-1);
    const loser = final?.slots.find(({ result }) => result === 'loss')?.participantId;
    const before = await countEvents(cup.project.id);
    const answer = await api.post<CorrectionOutput>(`/matches/${final?.id}/correct`, {
      bearer: cup.moderator.bearer,
      body: { winnerId: loser, reason: 'Wrong player reported' },
    });
    expect(answer.status, answer.text).toBe(200);
    const { startedAt, completedAt } = final ?? {};
    const match = { winnerId: loser, status: 'completed', startedAt, completedAt };
    expect(answer.body, 'it was played when it was').toMatchObject({ allowed: true, affected: [], match });
    const standings = await api.get<StandingsOutput>(`/tournaments/${cup.tournamentId}/standings`);
    expect(standings.body.final[0]?.participantId).toBe(loser);
    const events = await countEvents(cup.project.id);
    expect(events).toMatchObject({ 'match.result_corrected': 1, 'tournament.completed': 1 });
    expect(events['match.completed']).toBe(before['match.completed']);
    const champion = await db.participant.findUniqueOrThrow({ where: { id: loser ?? '' } });
    expect(champion.status).toBe('active');
    const stats = await db.playerStats.findMany({ where: { projectId: cup.project.id } });
    expect(stats.reduce((sum, { wins }) => sum + wins, 0)).toBe(3);
    expect(stats.find(({ userId }) => userId === champion.userId)).toMatchObject({
      placements: { [cup.tournamentId]: 1 },
    });
  });

  test('of a match played past previews and then clears what depends on it, and reopens the tournament', async () => {
    const cup = await startCup(api, 4);
    await playOut(api, cup);
    const [semifinal, , final] = await readMatches(api, cup.tournamentId);
    const loser = semifinal?.slots.find(({ result }) => result === 'loss')?.participantId;
    const send = (preview: boolean) =>
      api.post<CorrectionOutput>(`/matches/${semifinal?.id}/correct`, {
        bearer: cup.moderator.bearer,
        body: { winnerId: loser, preview },
      });
    const preview = await send(true);
    const affected = [{ matchId: final?.id, change: 'cleared', losesResult: true }];
    expect(preview.body).toMatchObject({ allowed: true, affected });
    expect((await readMatches(api, cup.tournamentId))[0]?.winnerId).toBe(semifinal?.winnerId);
    expect((await send(false)).body).toMatchObject({ allowed: true, affected });
    const [, , after] = await readMatches(api, cup.tournamentId);
    expect(after).toMatchObject({ status: 'ready', winnerId: null, games: [], completedAt: null });
    const { status, completedAt } = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
    expect([status, completedAt]).toEqual(['IN_PROGRESS', null]);
    expect(await countEvents(cup.project.id)).toMatchObject({ 'match.result_corrected': 2 });
    expect(await db.auditEntry.count({ where: { projectId: cup.project.id, action: 'match.result_lost' } })).toBe(1);
    const stats = await db.playerStats.findMany({ where: { projectId: cup.project.id } });
    expect(stats.reduce((sum, { matches }) => sum + matches, 0)).toBe(4);
    expect(stats.every(({ placements }) => Object.keys(placements as object).length === 0)).toBe(true);
    await playOut(api, cup);
    expect(await countEvents(cup.project.id)).toMatchObject({ 'tournament.completed': 2 });
  });

  test('is refused while an affected match is in progress, and to players', async () => {
    const cup = await startCup(api, 4);
    const [first, second] = await readMatches(api, cup.tournamentId);
    for (const match of [first, second]) {
      const body = { winnerId: match?.slots[0].participantId };
      await api.post(`/matches/${match?.id}/resolve`, { bearer: cup.moderator.bearer, body });
    }
    const final = (await readMatches(api, cup.tournamentId)).at(-1);
    await api.post(`/matches/${final?.id}/start`, { bearer: cup.moderator.bearer });
    const body = { winnerId: first?.slots[1].participantId };
    const refused = await api.post(`/matches/${first?.id}/correct`, { bearer: cup.moderator.bearer, body });
    expect([refused.status, refused.reason]).toEqual([409, 'AFFECTED_MATCH_IN_PROGRESS']);
    const preview = await api.post<CorrectionOutput>(`/matches/${first?.id}/correct`, {
      bearer: cup.moderator.bearer,
      body: { ...body, preview: true },
    });
    expect(preview.body).toMatchObject({ allowed: false, reason: 'AFFECTED_MATCH_IN_PROGRESS' });
    const player = await cup.bearerOf(first?.slots[0].participantId);
    expect((await api.post(`/matches/${first?.id}/correct`, { bearer: player, body })).status).toBe(403);
    expect((await api.post(`/matches/${final?.id}/correct`, { bearer: cup.moderator.bearer, body })).reason).toBe(
      'MATCH_NOT_DECIDED',
    );
  });

  test('by reopening lets the match be played again', async () => {
    const cup = await startCup(api, 2);
    await playOut(api, cup);
    const [match] = await readMatches(api, cup.tournamentId);
    const reopened = await api.post<CorrectionOutput>(`/matches/${match?.id}/reopen`, { bearer: cup.moderator.bearer });
    expect(reopened.body).toMatchObject({ allowed: true, match: { status: 'ready', winnerId: null } });
    const states = await db.participant.findMany({
      where: { tournamentId: cup.tournamentId },
      select: { status: true },
    });
    expect(states.map(({ status }) => status)).toEqual(['active', 'active']);
    await playOut(api, cup);
    const [again] = await readMatches(api, cup.tournamentId);
    expect(Date.parse(again?.completedAt ?? '')).toBeGreaterThan(Date.parse(match?.completedAt ?? ''));
  });
});

describe('leaving a running tournament', () => {
  const act = (cup: Awaited<ReturnType<typeof startCup>>, id: string | undefined, what: string, body?: unknown) =>
    api.post<{ status: string }>(`/tournaments/${cup.tournamentId}/participants/${id}/${what}`, {
      bearer: cup.moderator.bearer,
      body,
    });

  test('a disqualified participant forfeits, and reinstating takes it back', async () => {
    const cup = await startCup(api, 4);
    const [id] = cup.participantIds;
    const gone = await act(cup, id, 'disqualify', { reason: 'Second account' });
    expect(gone.body.status, gone.text).toBe('disqualified');
    const forfeited = (await readMatches(api, cup.tournamentId)).find(({ status }) => status === 'forfeited');
    expect(forfeited).toMatchObject({ decidedBy: 'departure' });
    expect(await countEvents(cup.project.id)).toMatchObject({ 'match.forfeited': 1, 'participant.disqualified': 1 });
    const back = await act(cup, id, 'reinstate');
    expect(back.body.status, back.text).toBe('active');
    expect((await readMatches(api, cup.tournamentId))[0]?.status).toBe('ready');
  });

  test('a participant whose forfeit was played past cannot be reinstated', async () => {
    const cup = await startCup(api, 4);
    await act(cup, cup.participantIds[0], 'disqualify', { reason: 'Second account' });
    await playOut(api, cup);
    const refused = await act(cup, cup.participantIds[0], 'reinstate');
    expect(refused.reason).toBe('PLAYED_PAST');
    // What the refusal says to do is possible.
    expect(refused.text).toContain('set “Who enters results” to “Staff only”, reopen the matches that were played');
    const { bearer } = cup.organizer;
    const path = `/tournaments/${cup.tournamentId}`;
    const { status, text } = await api.call('PATCH', path, { bearer, body: { resultMode: 'staff' } });
    expect(status, text).toBe(200);
    const final = (await readMatches(api, cup.tournamentId)).at(-1);
    expect((await api.post(`/matches/${final?.id}/reopen`, { bearer })).status).toBe(200);
    expect((await act(cup, cup.participantIds[0], 'reinstate')).body.status).toBe('active');
  });

  test('a withdrawn participant is paired no more, and may not withdraw themselves', async () => {
    const cup = await startCup(api, 6, { format: 'swiss' });
    const self = await api.post(`/tournaments/${cup.tournamentId}/participants/${cup.participantIds[0]}/withdraw`, {
      bearer: await cup.bearerOf(cup.participantIds[0]),
    });
    expect(self.status).toBe(403);
    const gone = await act(cup, cup.participantIds[0], 'withdraw', { reason: 'Has to leave' });
    expect(gone.body.status, gone.text).toBe('withdrew');
    await playOut(api, cup);
    const later = (await readMatches(api, cup.tournamentId)).filter(({ round }) => round > 1);
    expect(later.flatMap(({ slots }) => slots.map(({ participantId }) => participantId))).not.toContain(
      cup.participantIds[0],
    );
  });
});

describe('forfeits and times', () => {
  test('both sides may forfeit; then the next match has a bye', async () => {
    const cup = await startCup(api, 4);
    const [match] = await readMatches(api, cup.tournamentId);
    const participantIds = match?.slots.map(({ participantId }) => participantId);
    const answer = await api.post<MatchOutput>(`/matches/${match?.id}/forfeit`, {
      bearer: cup.moderator.bearer,
      body: { participantIds, reason: 'Nobody came' },
    });
    expect(answer.body).toMatchObject({ status: 'forfeited', winnerId: null });
    await playOut(api, cup);
    const { status } = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
    expect(status).toBe('COMPLETED');
  });

  test('a time is proposed and accepted, declined, or set by staff', async () => {
    const cup = await startCup(api, 2);
    const [match] = await readMatches(api, cup.tournamentId);
    const [a, b] = await Promise.all((match?.slots ?? []).map(({ participantId }) => cup.bearerOf(participantId)));
    const send = (what: string, bearer: string | undefined, body?: unknown) =>
      api.post<MatchOutput>(`/matches/${match?.id}/${what}`, { bearer, body });
    const at = (hours: number) => ({ scheduledAt: new Date(Date.now() + hours * 3_600_000).toISOString() });
    expect((await send('reschedule', a, at(-1))).status).toBe(400);
    expect((await send('reschedule/accept', b)).reason).toBe('INVALID_STATE');
    expect((await send('reschedule', a, at(2))).body).toMatchObject({
      status: 'ready',
      proposal: { by: match?.slots[0].participantId },
    });
    expect((await send('reschedule/accept', a)).reason).toBe('INVALID_STATE');
    expect((await send('reschedule/decline', b)).body.proposal).toBeNull();
    const time = at(3);
    await send('reschedule', b, time);
    expect((await send('reschedule/accept', a)).body).toMatchObject({ ...time, status: 'scheduled', proposal: null });
    expect((await send('reschedule', cup.moderator.bearer, at(4))).body).toMatchObject({ status: 'scheduled' });
    expect((await send('start', a)).reason).toBe('FORBIDDEN');
    expect((await send('start', cup.moderator.bearer)).body.status).toBe('in_progress');
    expect((await send('reschedule', cup.moderator.bearer, at(5))).reason).toBe('INVALID_STATE');
    expect(await countEvents(cup.project.id)).toMatchObject({ 'match.rescheduled': 2, 'match.started': 1 });
  });
});
