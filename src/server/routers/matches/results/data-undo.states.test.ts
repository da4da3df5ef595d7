import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import { type Cup, playOut, readBracket, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { MatchOutput } from '@/server/routers/matches/schema';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

/** All that viewers see of a tournament in play, and what the bracket engine goes by, without versions and ids of rows. */
async function stateOf({ tournamentId }: Pick<Cup, 'tournamentId'>) {
  const matches = await readMatches(api, tournamentId);
  const standings = await api.get<object>(`/tournaments/${tournamentId}/standings`, {});
  const { departures } = await db.bracket.findUniqueOrThrow({ where: { tournamentId } });
  const { status } = await db.tournament.findUniqueOrThrow({ where: { id: tournamentId } });
  const participants = await db.participant.findMany({
    where: { tournamentId },
    orderBy: { id: 'asc' },
    select: { id: true, status: true },
  });
  return {
    matches: matches.map(({ number, status: is, decidedBy, slots, games, winnerId, startedAt, completedAt }) => {
      return { number, status: is, decidedBy, slots, games, winnerId, startedAt, completedAt };
    }),
    standings: standings.body,
    departures,
    status,
    participants,
  };
}

async function send(cup: Cup, path: string, body: object = {}) {
  const answer = await api.post<{ status: string }>(path, { bearer: cup.moderator.bearer, body });
  expect(answer.status, answer.text).toBe(200);
}

const undo = (cup: Cup, { id }: MatchOutput) => send(cup, `/matches/${id}/correct/undo`);
const resolve = (cup: Cup, { id, slots }: MatchOutput, slot: 0 | 1) =>
  send(cup, `/matches/${id}/resolve`, { winnerId: slots[slot].participantId });
const depart = (cup: Cup, id: string | null, how = 'withdraw') =>
  send(cup, `/tournaments/${cup.tournamentId}/participants/${id}/${how}`, { reason: 'Has to leave' });

async function matchWhere(cup: Cup, where: Partial<MatchOutput>): Promise<MatchOutput> {
  const matches = await readMatches(api, cup.tournamentId);
  const match = matches.find((one) =>
    Object.entries(where).every(([key, value]) => one[key as keyof MatchOutput] === value),
  );
  if (!match) throw new Error('there is no such match');
  return match;
}

test('a grand final that is undone has the reset again that was played', async () => {
  const cup = await startCup(api, 4, { format: 'double_elimination' });
  for (;;) {
    const open = (await readMatches(api, cup.tournamentId)).find(({ status }) => status === 'ready');
    if (!open) break;
    await resolve(cup, open, open.bracket === 'final' ? 1 : 0);
  }
  const before = await stateOf(cup);
  const final = await matchWhere(cup, { bracket: 'final' });
  await send(cup, `/matches/${final.id}/correct`, { winnerId: final.slots[0].participantId });
  expect((await readMatches(api, cup.tournamentId)).length).toBe(before.matches.length - 1);
  await undo(cup, final);
  expect(await stateOf(cup)).toEqual(before);
});

test('undoing keeps results that the correction had left alone', async () => {
  const cup = await startCup(api, 8, { format: 'double_elimination' });
  const rounds = [
    ['winners', 1],
    ['winners', 2],
    ['losers', 1],
    ['losers', 2],
    ['losers', 3],
  ] as const;
  for (const [bracket, round] of rounds) {
    const matches = await readMatches(api, cup.tournamentId);
    const open = matches.filter((one) => one.status === 'ready' && one.bracket === bracket && one.round === round);
    for (const match of open) await resolve(cup, match, bracket === 'losers' ? 1 : 0);
  }
  const match = await matchWhere(cup, { bracket: 'winners', round: 2 });
  await depart(cup, match.winnerId, 'disqualify');
  const before = await stateOf(cup);
  await send(cup, `/matches/${match.id}/correct`, { winnerId: match.slots[1].participantId });
  await undo(cup, match);
  expect(await stateOf(cup)).toEqual(before);
});

const twoStages: [string, Partial<TournamentUncheckedCreateInput>][] = [
  ['groups', { format: 'groups_to_knockout', formatOptions: { groups: 2, advancePerGroup: 2 } }],
  ['Swiss', { format: 'swiss', formatOptions: { rounds: 3, playoffs: 4 } }],
];

/** Of the eight, one leaves in the knockout, and the last match before it is looked for. */
async function leftInKnockout(data: Partial<TournamentUncheckedCreateInput>) {
  const cup = await startCup(api, 8, data);
  for (;;) {
    const open = (await readMatches(api, cup.tournamentId)).find(
      (one) => one.status === 'ready' && one.bracket === 'group',
    );
    if (!open) break;
    await resolve(cup, open, (open.slots[0].seed ?? 0) < (open.slots[1].seed ?? 0) ? 0 : 1);
  }
  const [first, second] = (await readMatches(api, cup.tournamentId)).filter(({ status }) => status === 'ready');
  if (!first || !second) throw new Error('there are two semifinals');
  await resolve(cup, first, 0);
  await depart(cup, second.slots[0].participantId);
  const last = (await readMatches(api, cup.tournamentId)).filter(({ bracket }) => bracket === 'group').at(-1);
  if (!last) throw new Error('there is no group match');
  return { cup, last };
}

test.each(twoStages)(
  'who left in the knockout is still in it after a match before it is reopened and undone (%s)',
  async (_, data) => {
    const { cup, last } = await leftInKnockout(data);
    await playOut(api, cup);
    const before = await stateOf(cup);
    await send(cup, `/matches/${last.id}/reopen`);
    await undo(cup, last);
    expect(await stateOf(cup)).toEqual(before);
  },
);

test.each(twoStages)(
  'who left in the knockout is still in it after a match before it is decided again (%s)',
  async (_, data) => {
    const { cup, last } = await leftInKnockout(data);
    const before = await stateOf(cup);
    await send(cup, `/matches/${last.id}/reopen`);
    await resolve(cup, last, last.winnerId === last.slots[0].participantId ? 0 : 1);
    const semifinal = await matchWhere(cup, { status: 'ready' });
    await resolve(cup, semifinal, 0);
    const after = await stateOf(cup);
    expect(after.departures).toEqual(before.departures);
    expect(after.matches.map(({ slots, winnerId }) => [slots, winnerId])).toEqual(
      before.matches.map(({ slots, winnerId }) => [slots, winnerId]),
    );
  },
);

test.each(['reopen', 'correct'] as const)('playoffs that were seeded by hand come back so (%s)', async (what) => {
  const cup = await startCup(api, 8, { format: 'swiss', formatOptions: { rounds: 3, playoffs: 4 } });
  for (let left = 12; left > 0; left--) await resolve(cup, await matchWhere(cup, { status: 'ready' }), 0);
  const stage = (await readBracket(api, cup.tournamentId)).stages[1];
  const [a, b, c, d] = stage?.rounds[0]?.matches.flatMap(({ slots }) => slots.map((slot) => slot.participantId)) ?? [];
  const seeded = await api.put(`/tournaments/${cup.tournamentId}/stages/${stage?.id}/seeding`, {
    bearer: cup.organizer.bearer,
    body: { order: [a, c, b, d] },
  });
  expect(seeded.status, seeded.text).toBe(200);
  await playOut(api, cup);
  const before = await stateOf(cup);
  expect(before.status).toBe('COMPLETED');
  const match = await matchWhere(cup, { number: what === 'reopen' ? 12 : 1 });
  await send(cup, `/matches/${match.id}/${what}`, what === 'correct' ? { winnerId: match.slots[1].participantId } : {});
  await undo(cup, match);
  expect(await stateOf(cup)).toEqual(before);
});

const formats = fc.constantFrom<Partial<TournamentUncheckedCreateInput>>(
  { format: 'double_elimination' },
  { format: 'single_elimination', formatOptions: { thirdPlace: true } },
  { format: 'round_robin' },
  { format: 'swiss', formatOptions: { rounds: 3, playoffs: 2 } },
  { format: 'groups_to_knockout', formatOptions: { groups: 2, advancePerGroup: 1 } },
);
const slots = fc.array(fc.constantFrom<0 | 1>(0, 1), { minLength: 4, maxLength: 14 });

test('undoing gives the state before, whatever was corrected or reopened', async () => {
  const action = fc.constantFrom<'correct' | 'reopen'>('correct', 'reopen');
  await fc.assert(
    fc.asyncProperty(formats, slots, fc.nat(12), action, fc.nat(100), async (data, winners, leavesAt, what, at) => {
      const cup = await startCup(api, 6, data);
      for (const [step, slot] of winners.entries()) {
        const open = (await readMatches(api, cup.tournamentId)).find(({ status }) => status === 'ready');
        if (!open) break;
        if (step === leavesAt) await depart(cup, open.slots[slot].participantId);
        else await resolve(cup, open, slot);
      }
      const before = await stateOf(cup);
      const decided = (await readMatches(api, cup.tournamentId)).filter(({ decidedBy }) => decidedBy === 'result');
      const match = decided[at % decided.length];
      if (!match) throw new Error('something has been decided');
      const loser = match.slots.find(({ participantId }) => participantId !== match.winnerId)?.participantId;
      await send(cup, `/matches/${match.id}/${what}`, what === 'correct' ? { winnerId: loser } : {});
      await undo(cup, match);
      expect(await stateOf(cup)).toEqual(before);
    }),
    { numRuns: 10 },
  );
}, 60_000);

/** Corrects a result of a Swiss stage, after which two meet again in the match that they had played before. */
async function meetAgain() {
  for (;;) {
    const cup = await startCup(api, 8, { format: 'swiss', formatOptions: { rounds: 4 } });
    await playOut(api, cup);
    const before = await readMatches(api, cup.tournamentId);
    const bearer = cup.moderator.bearer;
    for (const { id, winnerId, slots } of before.filter(({ round }) => round === 1)) {
      const other = slots.find(({ participantId }) => participantId !== winnerId)?.participantId;
      const corrected = await api.post(`/matches/${id}/correct`, { bearer, body: { winnerId: other } });
      expect(corrected.status, corrected.text).toBe(200);
      const undo = () => api.post(`/matches/${id}/correct/undo`, { bearer });
      const now = await readMatches(api, cup.tournamentId);
      const again = now.find((one) => one.status === 'ready' && before.some((was) => was.id === one.id));
      if (again) return { cup, before, again, undo };
      expect((await undo()).status).toBe(200);
    }
  }
}

test('a report of one player since a correction keeps no later round from coming back', async () => {
  const { cup, before, again, undo } = await meetAgain();
  const reporter = await cup.bearerOf(again.slots[0].participantId);
  const games = [{ scores: [0, 5] }];
  expect((await api.post(`/matches/${again.id}/report`, { bearer: reporter, body: { games } })).status).toBe(200);
  const undone = await undo();
  expect(undone.status, undone.text).toBe(200);
  const winners = (matches: typeof before) =>
    matches.map(({ number, winnerId, report }) => ({ number, winnerId, report }));
  expect(winners(await readMatches(api, cup.tournamentId))).toEqual(winners(before));
});

const outcomes = (matches: MatchOutput[]) => matches.map(({ number, winnerId }) => [number, winnerId]);

test.each<[string, Partial<TournamentUncheckedCreateInput>]>([
  ...twoStages,
  ['single elimination', { format: 'single_elimination' }],
  ['double elimination', { format: 'double_elimination' }],
])('two that are undone in the order in which they were made bring everything back (%s)', async (_, data) => {
  for (const what of ['reopen', 'correct']) {
    const cup = await startCup(api, 8, data);
    await playOut(api, cup);
    const before = await stateOf(cup);
    const two = (await readMatches(api, cup.tournamentId)).slice(0, 2);
    for (const { id, slots, winnerId } of two) {
      const other = slots.find(({ participantId }) => participantId !== winnerId)?.participantId;
      await send(cup, `/matches/${id}/${what}`, what === 'correct' ? { winnerId: other } : {});
    }
    for (const match of two) await undo(cup, match);
    expect(await stateOf(cup)).toEqual(before);
  }
});

test('playoffs after Swiss rounds come back with the first of two that are undone last first', async () => {
  const cup = await startCup(api, 8, { format: 'swiss', formatOptions: { rounds: 3, playoffs: 4 } });
  await playOut(api, cup);
  const before = await stateOf(cup);
  const [one, other] = (await readMatches(api, cup.tournamentId)).filter((m) => m.bracket === 'group' && m.round === 3);
  if (!one || !other) throw new Error('there is a third round');
  const loser = one.slots.find(({ participantId }) => participantId !== one.winnerId)?.participantId;
  await send(cup, `/matches/${one.id}/correct`, { winnerId: loser });
  await send(cup, `/matches/${other.id}/reopen`);
  await undo(cup, other);
  await undo(cup, one);
  expect(await stateOf(cup)).toEqual(before);
});

/** Has the two of a match agree on who won. */
async function agree(cup: Cup, { id, slots }: MatchOutput, slot: 0 | 1) {
  const [reporter, other] = [await cup.bearerOf(slots[0].participantId), await cup.bearerOf(slots[1].participantId)];
  const body = { games: [{ scores: slot === 0 ? [9, 5] : [5, 9] }] };
  for (const [path, bearer] of [
    ['report', reporter],
    ['confirm', other],
  ] as const) {
    const answer = await api.post(`/matches/${id}/${path}`, { bearer, body: path === 'report' ? body : {} });
    expect(answer.status, answer.text).toBe(200);
  }
}

test.each<[string, (cup: Cup, match: MatchOutput, slot: 0 | 1) => Promise<void>, boolean]>([
  ['on which its two have agreed since a correction keeps no later round from coming back', agree, false],
  ['that staff have decided since a correction stays', resolve, true],
])('another winner %s', async (_, decide, stays) => {
  const { cup, before, again, undo } = await meetAgain();
  const was = before.find(({ id }) => id === again.id);
  const other = was?.winnerId === again.slots[0].participantId ? 1 : 0;
  await decide(cup, again, other);
  expect((await undo()).status).toBe(200);
  const after = await readMatches(api, cup.tournamentId);
  if (stays) expect(after.find(({ id }) => id === again.id)?.winnerId).toBe(again.slots[other].participantId);
  else expect(outcomes(after)).toEqual(outcomes(before));
});

test('a forfeit that staff have ruled stays when an earlier reopening is undone', async () => {
  const cup = await startCup(api, 4);
  await playOut(api, cup);
  const [semifinal, , final] = await readMatches(api, cup.tournamentId);
  if (!semifinal || !final) throw new Error('there is a final');
  await send(cup, `/matches/${semifinal.id}/reopen`);
  await agree(cup, semifinal, semifinal.winnerId === semifinal.slots[0].participantId ? 0 : 1);
  await send(cup, `/matches/${final.id}/forfeit`, { participantIds: [final.winnerId], reason: 'Cheated' });
  const ruled = await matchWhere(cup, { id: final.id });
  await undo(cup, semifinal);
  const after = await matchWhere(cup, { id: final.id });
  expect([after.status, after.winnerId]).toEqual(['forfeited', ruled.winnerId]);
  expect(after.winnerId).not.toBe(final.winnerId);
});
