import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { db } from '@/server/db';
import type { LineDetails } from '@/server/routers/matches/data-lines';
import type { LaurelFile } from '@/server/routers/matches/exchange/schema';
import { countEvents, playOut, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';

const api = setupTestServer();

/** What a bracket is to its viewers, without versions. */
async function resultsOf(tournamentId: string) {
  const matches = await readMatches(api, tournamentId);
  return matches.map(({ number, status, slots, games, winnerId, startedAt, completedAt }) => {
    return { number, status, slots, games, winnerId, startedAt, completedAt };
  });
}

type CupFormat = 'single_elimination' | 'double_elimination' | 'groups_to_knockout' | 'swiss';

async function playedCup(format: CupFormat, size = 4) {
  const cup = await startCup(api, size, { format });
  await playOut(api, cup);
  const [first] = await readMatches(api, cup.tournamentId);
  if (!first) throw new Error('no match');
  const send = (what: string, body: unknown = {}, bearer = cup.moderator.bearer) =>
    api.post<{ status: string }>(`/matches/${first.id}/${what}`, { bearer, body });
  const loser = first.slots.find(({ participantId }) => participantId !== first.winnerId)?.participantId;
  return { cup, first, loser, send };
}

test.each(['single_elimination', 'double_elimination'] as const)(
  'undoing a correction brings back every result it deleted (%s)',
  async (format) => {
    const { cup, loser, send } = await playedCup(format);
    const before = await resultsOf(cup.tournamentId);
    expect((await send('correct', { winnerId: loser })).status).toBe(200);
    expect(await resultsOf(cup.tournamentId)).not.toEqual(before);
    const undone = await send('correct/undo');
    expect(undone.status, undone.text).toBe(200);
    expect(await resultsOf(cup.tournamentId)).toEqual(before);
    const { status } = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
    expect(status).toBe('COMPLETED');
    expect(await countEvents(cup.project.id)).toMatchObject({ 'tournament.completed': 2 });
  },
);

test.each(['reopen', 'correct'] as const)(
  'undoing takes as many statements however many results it brings back (%s)',
  async (action) => {
    const counts: number[] = [];
    for (const size of [4, 16]) {
      const { cup, loser, send } = await playedCup('double_elimination', size);
      const before = await resultsOf(cup.tournamentId);
      expect((await send(action, action === 'correct' ? { winnerId: loser } : {})).status).toBe(200);
      const lost = await db.matchMessage.findMany({
        where: { kind: 'result_lost', match: { tournamentId: cup.tournamentId } },
        select: { matchId: true },
      });
      expect(lost.length).toBeGreaterThan(1);
      const earlier = await countEvents(cup.project.id);
      const statements = await statementsOf(async () => {
        const undone = await send('correct/undo');
        expect(undone.status, undone.text).toBe(200);
      });
      counts.push(statements.length);
      expect(await resultsOf(cup.tournamentId)).toEqual(before);

      const own = action === 'reopen' ? 1 : 0;
      const ids = lost.map(({ matchId }) => matchId);
      const text = 'The correction was undone.';
      const lines = await db.matchMessage.findMany({ where: { kind: 'ruling', text, matchId: { in: ids } } });
      expect(lines.map(({ matchId }) => matchId).sort()).toEqual([...ids].sort());
      const entries = await db.auditEntry.findMany({
        where: {
          projectId: cup.project.id,
          action: 'match.resolve',
          details: { path: ['reason'], equals: text },
        },
      });
      expect(entries).toHaveLength(ids.length + own);
      for (const { matchId, details } of lines) {
        const winnerId = (details as LineDetails).result?.winnerId;
        expect(winnerId).toEqual(expect.any(String));
        expect(entries.find(({ targetId }) => targetId === matchId)?.details).toMatchObject({ winnerId });
      }
      const events = await countEvents(cup.project.id);
      expect((events['match.completed'] ?? 0) - (earlier['match.completed'] ?? 0)).toBe(ids.length + own);
    }
    expect(counts[1]).toBe(counts[0]);
  },
);

test('a reopened match gets its result back', async () => {
  const { cup, send } = await playedCup('single_elimination');
  const before = await resultsOf(cup.tournamentId);
  expect((await send('reopen')).status).toBe(200);
  expect((await send('correct/undo')).status).toBe(200);
  expect(await resultsOf(cup.tournamentId)).toEqual(before);
  expect((await send('correct/undo')).reason, 'there is nothing left to undo').toBe('INVALID_STATE');
});

test('a correction is undone once, also by two moderators at the same time', async () => {
  const { cup, first, loser, send } = await playedCup('single_elimination');
  const before = await resultsOf(cup.tournamentId);
  for (const isAtOnce of [true, false]) {
    expect((await send('correct', { winnerId: loser })).status).toBe(200);
    const undo = () => send('correct/undo');
    const answers = isAtOnce ? await Promise.all([undo(), undo()]) : [await undo(), await undo()];
    expect(answers.map(({ status, reason }) => [status, reason]).sort()).toEqual([
      [200, undefined],
      [409, 'INVALID_STATE'],
    ]);
    expect(await resultsOf(cup.tournamentId)).toEqual(before);
  }
  expect((await send('correct', { winnerId: loser })).status).toBe(200);
  expect((await send('correct', { winnerId: first.winnerId, games: [{ scores: [7, 7] }] })).status).toBe(200);
  expect((await send('correct/undo')).status).toBe(200);
  expect((await send('correct/undo')).reason, 'nor does another undo reach the correction before').toBe(
    'INVALID_STATE',
  );
  expect((await readMatches(api, cup.tournamentId))[0]?.winnerId).toBe(loser);
});

test('undoing takes the version that the caller has seen', async () => {
  const { cup, first, loser, send } = await playedCup('single_elimination');
  const corrected = await send('correct', { winnerId: loser });
  expect(corrected.status, corrected.text).toBe(200);
  const withHeader = (version: number) =>
    api.post(`/matches/${first.id}/correct/undo`, {
      bearer: cup.moderator.bearer,
      headers: { 'If-Match': `"${version}"` },
    });
  const read = async () => (await readMatches(api, cup.tournamentId))[0];
  for (const stale of [await send('correct/undo', { version: first.version }), await withHeader(first.version)]) {
    expect([stale.status, stale.reason]).toEqual([412, 'VERSION_MISMATCH']);
  }
  expect((await read())?.winnerId).toBe(loser);
  expect((await withHeader(first.version + 1)).status).toBe(200);
  expect(await read()).toMatchObject({ winnerId: first.winnerId, version: first.version + 2 });
});

test('what was deleted before its times were kept comes back as completed now', async () => {
  const { cup, send } = await playedCup('single_elimination');
  const before = await resultsOf(cup.tournamentId);
  expect((await send('reopen')).status).toBe(200);
  await db.$executeRaw`
    UPDATE "match_message" l SET "details" = l."details" #- '{previousResult,startedAt}' #- '{previousResult,completedAt}'
    FROM "match" m WHERE m."id" = l."matchId" AND m."tournamentId" = ${cup.tournamentId}`;
  expect((await send('correct/undo')).status).toBe(200);
  const after = await resultsOf(cup.tournamentId);
  expect(after.map(({ winnerId }) => winnerId)).toEqual(before.map(({ winnerId }) => winnerId));
  expect(Date.parse(after[0]?.completedAt ?? '')).toBeGreaterThan(Date.parse(before.at(-1)?.completedAt ?? ''));
});

test.each([true, false])(
  'a report of one player keeps no reopening from being undone (removed: %s)',
  async (isRemoved) => {
    const { cup, first, send } = await playedCup('single_elimination');
    const before = await resultsOf(cup.tournamentId);
    expect((await send('reopen')).status).toBe(200);
    const reporter = await cup.bearerOf(first.slots[0]?.participantId);
    const reported = await send('report', { games: [{ scores: [0, 5] }] }, reporter);
    expect(reported.status, reported.text).toBe(200);
    if (isRemoved) expect((await send('reopen')).status).toBe(200);
    const undone = await send('correct/undo');
    expect(undone.status, undone.text).toBe(200);
    expect(await resultsOf(cup.tournamentId)).toEqual(before);
    expect(await db.match.findUniqueOrThrow({ where: { id: first.id } })).toMatchObject({
      report: null,
      confirmBy: null,
    });
  },
);

test.each(['single_elimination', 'groups_to_knockout', 'swiss'] as const)(
  'a reopening is undone also when the two have agreed on a result at once, the same or another (%s)',
  async (format) => {
    for (const isSame of [true, false]) {
      const { cup, first, send } = await playedCup(format, 8);
      const wins = first.slots[0].participantId === first.winnerId;
      const before = await resultsOf(cup.tournamentId);
      expect((await send('reopen')).status).toBe(200);
      const lost = await resultsOf(cup.tournamentId);
      expect(lost.filter(({ winnerId }) => winnerId).length).toBeLessThan(before.length - 1);
      const [one, other] = await Promise.all(first.slots.map(({ participantId }) => cup.bearerOf(participantId)));
      const games = [{ scores: wins === isSame ? [1, 0] : [0, 1] }];
      expect((await send('report', { games }, one)).status).toBe(200);
      expect((await send('confirm', {}, other)).status).toBe(200);
      const undone = await send('correct/undo');
      expect(undone.reason, undone.text).toBeUndefined();
      expect(await resultsOf(cup.tournamentId)).toEqual(before);
      expect((await send('correct/undo')).reason).toBe('INVALID_STATE');
    }
  },
);

test('a reopening is not undone once staff have confirmed a result for a side', async () => {
  const { cup, first, send } = await playedCup('single_elimination');
  expect((await send('reopen')).status).toBe(200);
  const reporter = await cup.bearerOf(first.slots[0].participantId);
  expect((await send('report', { games: [{ scores: [1, 0] }] }, reporter)).status).toBe(200);
  expect((await send('confirm')).status).toBe(200);
  expect((await send('correct/undo')).reason).toBe('INVALID_STATE');
});

const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();
test.each<[string, ['first' | 'second', string, object][]]>([
  ['a proposal', [['first', 'reschedule', { scheduledAt: tomorrow }]]],
  [
    'a proposal that is withdrawn',
    [
      ['first', 'reschedule', { scheduledAt: tomorrow }],
      ['first', 'reschedule/decline', {}],
    ],
  ],
  [
    'a proposal that is declined',
    [
      ['first', 'reschedule', { scheduledAt: tomorrow }],
      ['second', 'reschedule/decline', {}],
    ],
  ],
  [
    'another time that both sides agree on',
    [
      ['first', 'reschedule', { scheduledAt: tomorrow }],
      ['second', 'reschedule/accept', {}],
    ],
  ],
  [
    'a dispute',
    [
      ['first', 'report', { games: [{ scores: [0, 5] }] }],
      ['second', 'dispute', { reason: 'Not played' }],
    ],
  ],
])('%s keeps no reopening from being undone', async (_what, steps) => {
  const { cup, first, send } = await playedCup('single_elimination');
  const before = await resultsOf(cup.tournamentId);
  expect((await send('reopen')).status).toBe(200);
  const bearers = {
    first: await cup.bearerOf(first.slots[0]?.participantId),
    second: await cup.bearerOf(first.slots[1]?.participantId),
  };
  for (const [who, what, body] of steps) expect((await send(what, body, bearers[who])).status, what).toBe(200);
  const undone = await send('correct/undo');
  expect(undone.status, undone.text).toBe(200);
  expect(await resultsOf(cup.tournamentId)).toEqual(before);
  const empty = { report: null, counterReport: null, confirmBy: null, proposal: null };
  expect(await db.match.findUniqueOrThrow({ where: { id: first.id } })).toMatchObject(empty);
});

test.each(['correct', 'reopen'] as const)('undoing brings back a score without games (%s)', async (action) => {
  const cup = await startCup(api, 4, { formatOptions: { bestOf: 3 } });
  const bearer = cup.organizer.bearer;
  const file = (await api.get<LaurelFile>(`/tournaments/${cup.tournamentId}/export`, { bearer })).body;
  // The lower-seeded side wins a semifinal and the final, so that a score is not always in the order of seeds.
  const [first, second] = file.bracket?.matches ?? [];
  if (!file.bracket || !first?.participants || !second?.participants) throw new Error('no semifinals');
  const [a, b] = [first.participants[0], second.participants[1]];
  const decided = { status: 'completed', decidedBy: 'result' } as const;
  const matches = file.bracket.matches.map((match) => {
    if (match.number === first.number) return { ...match, ...decided, score: [2, 1], winner: a };
    if (match.number === second.number) return { ...match, ...decided, score: [1, 2], winner: b };
    return { ...match, ...decided, participants: [a, b], score: [0, 2], winner: b };
  });
  const imported = await api.post<{ id: string }>(`/projects/${cup.project.id}/tournaments/import`, {
    bearer,
    body: { ...file, bracket: { ...file.bracket, matches } },
  });
  expect(imported.status, imported.text).toBe(201);
  const before = await resultsOf(imported.body.id);
  expect(before.map(({ slots }) => slots.map(({ score }) => score))).toEqual([
    [2, 1],
    [1, 2],
    [0, 2],
  ]);
  const [match] = await readMatches(api, imported.body.id);
  const send = async (what: string, body: object = {}) => {
    const answer = await api.post(`/matches/${match?.id}/${what}`, { bearer: cup.moderator.bearer, body });
    expect(answer.status, answer.text).toBe(200);
  };
  await send(action, action === 'correct' ? { winnerId: match?.slots[1].participantId } : {});
  await send('correct/undo');
  expect(await resultsOf(imported.body.id)).toEqual(before);
});

test('a corrected forfeit is a forfeit again', async () => {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const [a, b] = match?.slots.map(({ participantId }) => participantId) ?? [];
  const send = (what: string, body: unknown = {}) =>
    api.post(`/matches/${match?.id}/${what}`, { bearer: cup.moderator.bearer, body });
  await send('forfeit', { participantIds: [a] });
  const before = await resultsOf(cup.tournamentId);
  await send('correct', { winnerId: a });
  expect((await readMatches(api, cup.tournamentId))[0]?.winnerId).toBe(a);
  expect((await send('correct/undo')).status).toBe(200);
  expect(await resultsOf(cup.tournamentId)).toEqual(before);
  expect(before[0]).toMatchObject({ status: 'forfeited', winnerId: b });
});

test.each([false, true])('a forfeit of somebody who left is one again (reinstated meanwhile: %s)', async (isBack) => {
  const cup = await startCup(api, 4, { format: 'round_robin' });
  const [match] = await readMatches(api, cup.tournamentId);
  const [gone, other] = match?.slots.map(({ participantId }) => participantId) ?? [];
  const bearer = cup.moderator.bearer;
  const act = (what: string) =>
    api.post(`/tournaments/${cup.tournamentId}/participants/${gone}/${what}`, {
      bearer,
      body: { reason: 'Has to leave' },
    });
  expect((await act('disqualify')).status).toBe(200);
  const before = await resultsOf(cup.tournamentId);
  const send = (what: string, body: unknown = {}) => api.post(`/matches/${match?.id}/${what}`, { bearer, body });
  expect((await send('correct', { winnerId: gone })).status).toBe(200);
  if (isBack) expect((await act('reinstate')).status).toBe(200);
  const undone = await send('correct/undo');
  expect(undone.status, undone.text).toBe(200);
  const after = (await readMatches(api, cup.tournamentId))[0];
  if (isBack) expect(after).toMatchObject({ status: 'ready', decidedBy: null, winnerId: null });
  else expect([after?.decidedBy, after?.winnerId]).toEqual(['departure', other]);
  if (!isBack) expect(await resultsOf(cup.tournamentId)).toEqual(before);
});

test('what was played since stays, and a correction that something followed cannot be undone', async () => {
  const { cup, first, loser, send } = await playedCup('single_elimination');
  await send('correct', { winnerId: loser });
  const final = (await readMatches(api, cup.tournamentId)).find(({ bracket }) => bracket === 'final');
  await api.post(`/matches/${final?.id}/resolve`, { bearer: cup.moderator.bearer, body: { winnerId: loser } });
  expect((await send('correct/undo')).status).toBe(200);
  const again = (await readMatches(api, cup.tournamentId)).find(({ bracket }) => bracket === 'final');
  expect(again?.slots.some(({ participantId }) => participantId === first.winnerId)).toBe(true);
  expect(again?.winnerId, 'the final before the correction').not.toBeNull();

  await send('reopen');
  await send('resolve', { winnerId: first.winnerId });
  expect((await send('correct/undo')).reason).toBe('INVALID_STATE');
});

test('corrections and what undoes them are counted together', async () => {
  const { loser, send } = await playedCup('swiss');
  const limit = env.HEAVY_CALLS_PER_USER_PER_MINUTE;
  env.HEAVY_CALLS_PER_USER_PER_MINUTE = 2;
  try {
    expect((await send('correct', { winnerId: loser })).status).toBe(200);
    expect((await send('correct/undo')).status).toBe(200);
    const refused = await send('correct/undo');
    expect([refused.status, refused.reason]).toEqual([429, 'QUOTA_EXCEEDED']);
  } finally {
    env.HEAVY_CALLS_PER_USER_PER_MINUTE = limit;
  }
});

test('results that an undone reopening brings back count as changed in bulk', async () => {
  const { cup, send } = await playedCup('single_elimination');
  expect((await send('reopen')).status).toBe(200);
  const { id: because } = await db.matchMessage.findFirstOrThrow({
    where: { kind: 'reopening', match: { tournamentId: cup.tournamentId } },
  });
  const final = (await readMatches(api, cup.tournamentId)).find(({ bracket }) => bracket === 'final');
  const lost = { matchId: final?.id ?? '', kind: 'result_lost', details: { because } } as const;
  await db.matchMessage.createMany({ data: Array.from({ length: 21 }, () => ({ ...lost, id: newId('mms') })) });
  const limit = env.BULK_EVENTS_PER_PROJECT_PER_DAY;
  try {
    env.BULK_EVENTS_PER_PROJECT_PER_DAY = 20;
    const refused = await send('correct/undo');
    expect([refused.status, refused.reason]).toEqual([429, 'QUOTA_EXCEEDED']);
  } finally {
    env.BULK_EVENTS_PER_PROJECT_PER_DAY = limit;
  }
});

test('only moderators undo', async () => {
  const { cup, first, loser, send } = await playedCup('single_elimination');
  await send('correct', { winnerId: loser });
  expect((await send('correct/undo', {}, await cup.bearerOf(first.winnerId))).status).toBe(403);
  expect((await send('correct/undo', {}, cup.stranger.bearer)).status).toBe(403);
});
