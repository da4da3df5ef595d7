import { expect, test } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import { type FormatOptions, TIEBREAKERS } from '@/domain/brackets/types';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import {
  type Cup,
  countEvents,
  makeCup,
  playOut,
  readMatches,
  startCup,
} from '@/server/routers/matches/matches.fixture';
import type { StandingsOutput } from '@/server/routers/matches/schema';
import type { TournamentDetail } from '@/server/routers/tournaments/schema';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { mostDepartures } from './data-departures';
import type { LaurelFile } from './exchange/schema';

const api = setupTestServer();

test('nobody is reinstated into a bracket that was drawn again without them', async () => {
  const cup = await startCup(api, 4);
  const [participantId = ''] = cup.participantIds;
  const act = (what: string, body: unknown = {}) =>
    api.post(`/tournaments/${cup.tournamentId}/participants/${participantId}/${what}`, {
      bearer: cup.moderator.bearer,
      body,
    });
  expect((await act('disqualify', { reason: 'Cheated.' })).status).toBe(200);
  const drawn = await api.post(`/tournaments/${cup.tournamentId}/draw`, { bearer: cup.organizer.bearer });
  expect(drawn.status, drawn.text).toBe(200);
  const refused = await act('reinstate');
  expect([refused.status, refused.reason]).toEqual([409, 'INVALID_STATE']);
  const { status } = await db.participant.findUniqueOrThrow({ where: { id: participantId } });
  expect(status, 'playing means being in a match').toBe('disqualified');
  const matches = await readMatches(api, cup.tournamentId);
  expect(matches.flatMap(({ slots }) => slots.map((slot) => slot.participantId))).not.toContain(participantId);
});

test('the last event of a match says what it is, also when a participant who forfeited it is back', async () => {
  const cup = await startCup(api, 4, { format: 'round_robin' });
  const [participantId = ''] = cup.participantIds;
  const { bearer } = cup.moderator;
  for (const what of ['disqualify', 'reinstate']) {
    const path = `/tournaments/${cup.tournamentId}/participants/${participantId}/${what}`;
    const answer = await api.post(path, { bearer, body: { reason: 'Cheated.' } });
    expect(answer.status, answer.text).toBe(200);
    for (const match of await readMatches(api, cup.tournamentId)) {
      const last = await db.domainEvent.findFirst({
        where: { aggregateId: match.id },
        orderBy: { sequence: 'desc' },
      });
      const { status, winnerId, number } = match;
      expect(last?.payload, `match ${number} after ${what}`).toMatchObject({ status, winnerId });
    }
  }
  expect(await countEvents(cup.project.id)).toMatchObject({ 'match.forfeited': 3, 'match.result_corrected': 3 });
});

test('of a bracket, few leave or return at once, and one who is named often counts once', async () => {
  const cup = await startCup(api, 24, { format: 'round_robin' });
  const [participantId = ''] = cup.participantIds;
  const bulk = (action: 'disqualify' | 'reinstate', participantIds: string[]) =>
    api.trpc(cup.moderator.bearer).participants.bulk.mutate({
      ...{ tournamentId: cup.tournamentId, action, participantIds },
      ...(action === 'disqualify' ? { reason: 'Cheated.' } : {}),
    });
  const often = Array.from({ length: 500 }, () => participantId);
  expect((await bulk('disqualify', often)).done).toEqual([participantId]);
  expect((await bulk('reinstate', often)).done).toEqual([participantId]);
  // Each of them has all 276 matches, and 24 ranks with their tie-breaks, worked out again.
  const many = Array.from({ length: 67 }, () => newId('prt'));
  const most = 45;
  await expect(bulk('reinstate', many)).rejects.toThrow(`At most ${most} participants can leave or return at once`);
  expect((await bulk('reinstate', many.slice(0, most))).refused).toHaveLength(most);
});

test('of a table of many with many tie-breaks fewer leave or return at once, however few matches it has', () => {
  const ids = Array.from({ length: 256 }, (_, at) => `p${at}`);
  const most = (format: 'swiss' | 'single_elimination', options: FormatOptions) =>
    mostDepartures(generate(format, options, ids, 'x'));
  expect(most('swiss', { rounds: 2, tiebreakers: ['points', 'buchholz', 'random'] })).toBe(17);
  expect(most('swiss', { rounds: 2, tiebreakers: [...TIEBREAKERS] })).toBe(4);
  expect(most('single_elimination', {})).toBe(39);
});

test('a file names few as disqualified who are not among its departures', async () => {
  const cup = await startCup(api, 40, { format: 'round_robin' });
  const { bearer } = cup.organizer;
  const { body: file } = await api.get<LaurelFile>(`/tournaments/${cup.tournamentId}/export`, { bearer });
  const matches = file.bracket?.matches.map((match) => ({
    ...match,
    status: 'completed' as const,
    games: [{ scores: [2, 1] }],
    winner: match.participants?.[0],
  }));
  const importAs = (disqualified: number) =>
    api.post(`/projects/${cup.project.id}/tournaments/import`, {
      bearer,
      body: {
        ...file,
        bracket: { ...file.bracket, matches },
        participants: file.participants.map((one, at) =>
          at < disqualified ? { ...one, status: 'disqualified' } : one,
        ),
      },
    });
  const refused = await importAs(26);
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining('at most 18 participants can be disqualified'),
  ]);
  expect((await importAs(2)).status).toBe(201);
});

test('who was out before the start does not get a slot of a tournament that is over', async () => {
  const cup = await makeCup(3);
  const [participantId = ''] = cup.participantIds;
  const { bearer } = cup.organizer;
  const path = `/tournaments/${cup.tournamentId}`;
  const body = { reason: 'Cheated.' };
  expect((await api.post(`${path}/participants/${participantId}/disqualify`, { bearer, body })).status).toBe(200);
  expect((await api.post(`${path}/start`, { bearer })).status).toBe(200);
  await playOut(api, cup);
  const refused = await api.post(`${path}/participants/${participantId}/reinstate`, { bearer });
  expect([refused.status, refused.reason]).toEqual([409, 'INVALID_STATE']);
  const { currentParticipants, status } = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
  expect([currentParticipants, status]).toEqual([2, 'COMPLETED']);
});

test('who is reinstated after a correction is in or out as the bracket has it now', async () => {
  const cup = await startCup(api, 4);
  const [, second = ''] = cup.participantIds;
  const { bearer } = cup.moderator;
  const act = async (what: string, body: unknown = {}) => {
    const answer = await api.post(`/tournaments/${cup.tournamentId}/participants/${second}/${what}`, { bearer, body });
    expect(answer.status, answer.text).toBe(200);
  };
  const statusOf = async () => (await db.participant.findUniqueOrThrow({ where: { id: second } })).status;
  await playOut(api, cup);
  expect(await statusOf()).toBe('eliminated');
  const final = (await readMatches(api, cup.tournamentId)).find(({ bracket }) => bracket === 'final');
  await act('disqualify', { reason: 'Cheated.' });
  const corrected = await api.post(`/matches/${final?.id}/correct`, { bearer, body: { winnerId: second } });
  expect(corrected.status, corrected.text).toBe(200);
  await act('reinstate');
  expect(await statusOf(), 'they have won').toBe('active');
});

test('who leaves when all is played but the tournament is not over has left the draw, too', async () => {
  const cup = await startCup(api, 4);
  await playOut(api, cup);
  // As an imported tournament can be.
  await db.tournament.update({ where: { id: cup.tournamentId }, data: { status: 'IN_PROGRESS', completedAt: null } });
  const [participantId = ''] = cup.participantIds;
  const path = `/tournaments/${cup.tournamentId}/participants/${participantId}/disqualify`;
  const answer = await api.post(path, { bearer: cup.moderator.bearer, body: { reason: 'Cheated.' } });
  expect(answer.status, answer.text).toBe(200);
  const { departures } = await db.bracket.findUniqueOrThrow({ where: { tournamentId: cup.tournamentId } });
  expect(departures).toMatchObject([{ participantId, type: 'disqualified' }]);
  const { status } = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
  expect(status).toBe('COMPLETED');
});

test.for([
  ['single_elimination', 4],
  ['double_elimination', 5],
  ['round_robin', 4],
  ['swiss', 6],
  ['groups_to_knockout', 8],
] as const)(
  'who is disqualified once a %s is over forfeits what is reopened, also as it was imported',
  async ([format, count]) => {
    const options = format === 'swiss' ? { rounds: 3 } : format === 'groups_to_knockout' ? { groups: 2 } : {};
    const cup = await startCup(api, count, { format, formatOptions: options });
    await playOut(api, cup);
    const [participantId = ''] = cup.participantIds;
    const { bearer } = cup.organizer;
    const path = `/tournaments/${cup.tournamentId}`;
    const body = { reason: 'Cheated.' };
    const standings = (await api.get<StandingsOutput>(`${path}/standings`)).body.final;
    expect((await api.post(`${path}/participants/${participantId}/disqualify`, { bearer, body })).status).toBe(200);
    expect((await api.get<StandingsOutput>(`${path}/standings`)).body.final).toEqual(standings);
    const exported = async (id: string) =>
      (await api.get<LaurelFile & { bracket: object }>(`/tournaments/${id}/export`, { bearer })).body;
    const imported = async (file: LaurelFile) => {
      const importPath = `/projects/${cup.project.id}/tournaments/import`;
      const answer = await api.post<TournamentDetail>(importPath, { bearer, body: file });
      expect(answer.status, answer.text).toBe(201);
      return exported(answer.body.id);
    };
    const over = await exported(cup.tournamentId);
    // Files did not always say it twice.
    expect(await imported({ ...over, bracket: { ...over.bracket, departures: [] } })).toEqual(over);
    const theirs = async () =>
      (await readMatches(api, cup.tournamentId)).filter(({ slots }) => {
        return slots.some((slot) => slot.participantId === participantId);
      });
    const played = (await theirs()).find(({ decidedBy }) => decidedBy === 'result');
    const reopened = await api.post(`/matches/${played?.id}/reopen`, { bearer });
    expect(reopened.status, reopened.text).toBe(200);
    expect((await theirs()).filter(({ status }) => status !== 'completed' && status !== 'forfeited')).toEqual([]);
    expect(await imported(await exported(cup.tournamentId))).toEqual(await exported(cup.tournamentId));
    await playOut(api, cup);
    expect((await theirs()).some(({ decidedBy }) => decidedBy === 'departure')).toBe(true);
    const { status } = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
    expect(status).toBe('COMPLETED');
  },
);

test.for(['single_elimination', 'double_elimination', 'swiss', 'round_robin'] as const)(
  'many who leave at once leave the same %s draw and events as one after the other, in a few statements',
  async (format) => {
    const leavers = [1, 2, 3, 5, 6, 7, 8];
    const play = async (leave: (cup: Cup, ids: string[]) => Promise<void>) => {
      const cup = await startCup(api, 9, { format });
      const ids = leavers.map((at) => cup.participantIds[at] ?? '');
      await leave(cup, ids);
      const matches = (await readMatches(api, cup.tournamentId)).map(
        ({ number, status, decidedBy, winnerId, slots }) => {
          const players = slots.map(({ participantId, result }) => [
            cup.participantIds.indexOf(participantId ?? ''),
            result,
          ]);
          return { number, status, decidedBy, winner: cup.participantIds.indexOf(winnerId ?? ''), players };
        },
      );
      return { matches, events: await countEvents(cup.project.id) };
    };
    const together = (cup: Cup, participantIds: string[]) =>
      api.trpc(cup.organizer.bearer).participants.bulk.mutate({
        ...{ tournamentId: cup.tournamentId, action: 'disqualify', reason: 'Cheated.', participantIds },
      });
    const atOnce = await play(async (cup, ids) => {
      const [first = '', second = '', ...others] = ids;
      const one = await statementsOf(() => together(cup, [first]));
      expect((await statementsOf(() => together(cup, [second, ...others]))).length).toBeLessThan(one.length + 10);
    });
    const inTurn = await play(async (cup, ids) => {
      for (const id of ids) await together(cup, [id]);
    });
    expect(atOnce).toEqual(inTurn);
  },
);
