import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDecided } from '@/domain/brackets/play/match-state';
import { rebuild } from '@/domain/brackets/rebuild.fixture';
import { db } from '@/server/db';
import { setupTestServer } from '@/test/server';
import { readPlay } from './data-bracket';
import { type Cup, countEvents, playOut, readMatches, startCup } from './matches.fixture';

const api = setupTestServer();

/** What must hold of a stored bracket whatever happened to it, and of the statistics and events that came with it. */
async function checkInvariants(cup: Cup): Promise<void> {
  const play = await readPlay(db, cup.tournamentId);
  if (!play) throw new Error('no bracket');
  const { bracket } = play;
  for (const match of bracket.matches) {
    if (match.decidedBy !== 'result' || match.winnerId === null || !match.winnerTo) continue;
    const next = bracket.matches.find(({ number }) => number === match.winnerTo?.match);
    if (next) expect(next.slots[match.winnerTo.slot].participantId).toBe(match.winnerId);
  }
  const played = bracket.matches.filter(({ decidedBy }) => decidedBy === 'result').length;
  const stats = await db.playerStats.aggregate({
    where: { projectId: cup.project.id },
    _sum: { matches: true, wins: true },
  });
  expect(stats._sum.matches ?? 0).toBe(2 * played);
  const statuses = await db.participant.findMany({
    where: { tournamentId: cup.tournamentId },
    select: { id: true, status: true },
  });
  const losers = new Set(
    bracket.matches.flatMap(({ winnerId, decidedBy, slots }) =>
      (decidedBy === 'result' || decidedBy === 'forfeit') && bracket.format === 'single_elimination'
        ? slots.flatMap(({ participantId }) => (participantId && participantId !== winnerId ? [participantId] : []))
        : [],
    ),
  );
  if (bracket.format === 'single_elimination') {
    expect(new Set(statuses.filter(({ status }) => status === 'eliminated').map(({ id }) => id))).toEqual(losers);
  }
  expect(rebuild(bracket).matches).toEqual(
    bracket.matches.map((match) => (isDecided(match) ? match : { ...match, status: expect.anything() })),
  );
}

/** What the events of each match said last is what its row says. */
async function checkTold(cup: Cup): Promise<void> {
  const types = ['match.completed', 'match.forfeited', 'match.result_corrected'];
  const events = await db.domainEvent.findMany({
    where: { projectId: cup.project.id, type: { in: types } },
    orderBy: { sequence: 'asc' },
  });
  const told = new Map(events.map(({ aggregateId, payload }) => [aggregateId, payload as { winnerId: string | null }]));
  const rows = await db.match.findMany({ where: { tournamentId: cup.tournamentId } });
  for (const { id, decidedBy, winnerId } of rows) {
    if (decidedBy === 'result' || decidedBy === 'forfeit') expect(told.get(id)?.winnerId).toBe(winnerId);
  }
}

const win = (winnerId: string | null | undefined) => ({ winnerId });

describe('at the same time', () => {
  test('sixteen equal reports of both sides decide a match once', async () => {
    const cup = await startCup(api, 4);
    const [match] = await readMatches(api, cup.tournamentId);
    const bearers = await Promise.all((match?.slots ?? []).map(({ participantId }) => cup.bearerOf(participantId)));
    const body = { games: [{ scores: [16, 3] }] };
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        api.post(`/matches/${match?.id}/report`, { bearer: bearers[at % 2], body }),
      ),
    );
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await countEvents(cup.project.id)).toMatchObject({
      'match.started': 1,
      'match.completed': 1,
      'participant.eliminated': 1,
    });
    await checkInvariants(cup);
  });

  test('sixteen rulings with different winners leave one of them', async () => {
    const cup = await startCup(api, 4);
    const [match] = await readMatches(api, cup.tournamentId);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        api.post(`/matches/${match?.id}/resolve`, {
          bearer: cup.moderator.bearer,
          body: win(match?.slots[at % 2]?.participantId),
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    await checkInvariants(cup);
  });

  test('a report of the final meets a correction of a semifinal', async () => {
    for (let round = 0; round < 4; round += 1) {
      const cup = await startCup(api, 4);
      const [first, second] = await readMatches(api, cup.tournamentId);
      for (const match of [first, second]) {
        await api.post(`/matches/${match?.id}/resolve`, {
          bearer: cup.moderator.bearer,
          body: win(match?.slots[0].participantId),
        });
      }
      const final = (await readMatches(api, cup.tournamentId)).at(-1);
      const bearer = await cup.bearerOf(final?.slots[0].participantId);
      await Promise.all([
        api.post(`/matches/${final?.id}/report`, { bearer, body: { games: [{ scores: [1, 0] }] } }),
        api.post(`/matches/${first?.id}/correct`, {
          bearer: cup.moderator.bearer,
          body: win(first?.slots[1].participantId),
        }),
      ]);
      await checkInvariants(cup);
    }
  });

  test('64 results of one round are all written', async () => {
    const cup = await startCup(api, 128);
    const open = (await readMatches(api, cup.tournamentId)).filter(({ status }) => status === 'ready');
    expect(open).toHaveLength(64);
    const answers = await Promise.all(
      open.map(({ id, slots }) =>
        api.post(`/matches/${id}/resolve`, { bearer: cup.moderator.bearer, body: win(slots[0].participantId) }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(open.map(() => 200));
    expect(await countEvents(cup.project.id)).toMatchObject({ 'match.completed': 64, 'participant.eliminated': 64 });
    await checkInvariants(cup);
  }, 60_000);

  test('a new draw and a report leave one bracket, without the report', async () => {
    for (let round = 0; round < 4; round += 1) {
      const cup = await startCup(api, 8);
      const [match] = await readMatches(api, cup.tournamentId);
      const bearer = await cup.bearerOf(match?.slots[0].participantId);
      const [drawn, reported] = await Promise.all([
        api.post(`/tournaments/${cup.tournamentId}/draw`, { bearer: cup.organizer.bearer }),
        api.post(`/matches/${match?.id}/report`, { bearer, body: { games: [{ scores: [1, 0] }] } }),
      ]);
      expect(drawn.status, drawn.text).toBe(200);
      // Before the draw it goes with its match, and after it there is no such match.
      expect([200, 404]).toContain(reported.status);
      const matches = await readMatches(api, cup.tournamentId);
      expect(matches).toHaveLength(7);
      expect(matches.filter(({ id, report }) => report !== null || id === match?.id)).toEqual([]);
      await checkInvariants(cup);
    }
  });

  test('two starts make one bracket', async () => {
    const cup = await startCup(api, 2);
    const again = await Promise.all(
      [1, 2, 3].map(() => api.post(`/tournaments/${cup.tournamentId}/start`, { bearer: cup.organizer.bearer })),
    );
    expect(again.map(({ reason }) => reason)).toEqual(['INVALID_STATE', 'INVALID_STATE', 'INVALID_STATE']);
  });
});

test('any sequence of results, forfeits, corrections and reopenings leaves a consistent bracket that can be finished', async () => {
  const step = fc.record({
    action: fc.constantFrom('resolve', 'resolve', 'resolve', 'forfeit', 'correct', 'reopen'),
    at: fc.nat(100),
    slot: fc.nat(1),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('single_elimination', 'double_elimination', 'swiss', 'groups_to_knockout'),
      fc.integer({ min: 4, max: 9 }),
      fc.array(step, { minLength: 5, maxLength: 20 }),
      async (format, count, steps) => {
        const cup = await startCup(api, count, { format });
        for (const { action, at, slot } of steps) {
          const matches = await readMatches(api, cup.tournamentId);
          const match = matches[at % matches.length];
          const id = match?.slots[slot]?.participantId;
          if (!match || !id) continue;
          const body = action === 'forfeit' ? { participantIds: [id] } : action === 'reopen' ? {} : win(id);
          const answer = await api.post(`/matches/${match.id}/${action}`, { bearer: cup.moderator.bearer, body });
          expect([200, 400, 409], answer.text).toContain(answer.status);
        }
        await checkInvariants(cup);
        await playOut(api, cup);
        await checkInvariants(cup);
        const { status } = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
        expect(status).toBe('COMPLETED');
      },
    ),
    { numRuns: 8 },
  );
}, 120_000);

const call = fc.record({
  action: fc.constantFrom(
    'report',
    'report',
    'confirm',
    'dispute',
    'resolve',
    'forfeit',
    'correct',
    'correct/undo',
    'reopen',
  ),
  at: fc.nat(100),
  slot: fc.nat(1),
  byStaff: fc.boolean(),
  ifMatch: fc.boolean(),
  twice: fc.boolean(),
});

test('whatever both sides and staff do at once, the bracket is consistent and its events tell its results', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('single_elimination', 'double_elimination', 'swiss', 'round_robin', 'groups_to_knockout'),
      fc.array(fc.array(call, { minLength: 6, maxLength: 12 }), { minLength: 3, maxLength: 6 }),
      async (format, rounds) => {
        const cup = await startCup(api, 6, { format });
        for (const calls of rounds) {
          const matches = await readMatches(api, cup.tournamentId);
          const send = async ({ action, at, slot, byStaff, ifMatch, twice }: (typeof calls)[number]) => {
            const match = matches[at % matches.length];
            const id = match?.slots[slot]?.participantId;
            if (!match || !id) return;
            const bodies: Record<string, object | undefined> = {
              report: { games: [{ scores: [slot, 1 - slot] }] },
              confirm: {},
              dispute: { reason: 'The score is wrong.' },
              forfeit: { participantIds: [id] },
              reopen: {},
              'correct/undo': undefined,
            };
            const body = action in bodies ? bodies[action] : win(id);
            const ofPlayers = ['report', 'confirm', 'dispute'].includes(action) && !byStaff;
            const bearer = ofPlayers ? await cup.bearerOf(id) : cup.moderator.bearer;
            const headers = {
              'Idempotency-Key': randomUUID(),
              ...(ifMatch ? { 'If-Match': `"${match.version}"` } : {}),
            };
            const answers = await Promise.all(
              Array.from({ length: twice ? 2 : 1 }, () =>
                api.post(`/matches/${match.id}/${action}`, { bearer, headers, body }),
              ),
            );
            for (const { status, reason, text } of answers) {
              // A correction may have taken the player out of the match meanwhile.
              if (reason !== 'NOT_IN_MATCH') expect([200, 400, 404, 409, 412], text).toContain(status);
            }
            expect(new Set(answers.flatMap(({ status, text }) => (status === 200 ? [text] : []))).size).toBeLessThan(2);
          };
          await Promise.all(calls.map(send));
          await checkInvariants(cup);
          await checkTold(cup);
        }
      },
    ),
    { numRuns: 12 },
  );
}, 120_000);
