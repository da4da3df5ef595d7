import fc from 'fast-check';
import { expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import { deepFreeze, ids, playOut } from '@/domain/brackets/playing.fixture';
import { type Plan, perform, plan, type Step, step } from '@/domain/brackets/random-play.fixture';
import type { Bracket, Match } from '@/domain/brackets/types';
import { type Changed, correct, handedOn, reopen, undo } from './correction';
import { allowed, choice as anyChoice, change, changedBy, participantsOf } from './correction.fixture';
import { isDecided, isReported, isSame } from './match-state';
import { apply, findMatch, replaceMatch } from './progress';
import { type MatchResult, reportedResult } from './results';
import { settle } from './settle';

const meetsSame = (one: Match, other: Match | undefined) =>
  other?.round === one.round && String(participantsOf(one)) === String(participantsOf(other));
const take = (bracket: Bracket, one: Step) => perform(bracket, one)?.bracket ?? bracket;
const start = ({ format, options, count }: Plan) => deepFreeze(generate(format, options, ids(count), 'random'));

/** Who is in a slot of a match. */
const playerOf = (bracket: Bracket, match: number, slot: 0 | 1) => {
  const { participantId } = findMatch(bracket, match).slots[slot];
  if (participantId === null) throw new Error(`nobody is in slot ${slot} of match ${match}`);
  return participantId;
};
const win = (bracket: Bracket, match: number, slot: 0 | 1) =>
  apply(bracket, { type: 'result', match, result: { type: 'played', winnerId: playerOf(bracket, match, slot) } })
    .bracket;

const played = fc.record({
  chosen: plan,
  steps: fc.array(step, { maxLength: 60 }),
  choice: anyChoice,
});

it('brings everything back that a correction or a reopening changed', () => {
  fc.assert(
    fc.property(played, ({ chosen, steps, choice }) => {
      const state = steps.reduce(take, start(chosen));
      const made = change(state, choice);
      if (!made) return;
      const changed = deepFreeze(made.correction.bracket);
      expect(allowed(undo(changed, changedBy(state, made.number, made.correction))).bracket).toEqual(state);
    }),
    { numRuns: 400 },
  );
});

const two = fc.record({
  chosen: plan.filter(({ count }) => count <= 12),
  steps: fc.array(step, { minLength: 10, maxLength: 80 }),
  choices: fc.array(fc.tuple(anyChoice, fc.nat()), { minLength: 2, maxLength: 2 }),
});

it('is as before the first of two changes when both are undone, in whatever order', () => {
  fc.assert(
    fc.property(two, ({ chosen, steps, choices }) => {
      const state = steps.reduce(take, start(chosen));
      let now = state;
      let standing: { changed: Changed; match: Match; place: number }[] = [];
      for (const [choice, place] of choices) {
        // Of a match that others played before the first change, who wins now is nobody's any more once that is undone.
        const isPlayed = (match: Match) =>
          state.matches.some((was) => isSame(was, match)) && standing.every((one) => one.match.number !== match.number);
        const made = change(now, choice, isPlayed);
        if (!made) continue;
        const { number, correction } = made;
        standing.push({
          changed: changedBy(now, number, correction),
          match: findMatch(correction.bracket, number),
          place,
        });
        now = deepFreeze(correction.bracket);
      }
      while (standing.length > 0) {
        // What a later change has taken from a match comes back first.
        const possible = standing.filter(({ match }) => {
          const is = now.matches.find(({ number }) => number === match.number);
          return is && meetsSame(match, is) && isSame(reportedResult(match), reportedResult(is));
        });
        const one = possible.sort((a, b) => a.place - b.place)[0];
        if (!one) throw new Error('nothing can be undone');
        const undone = allowed(undo(now, one.changed));
        const next = standing[standing.indexOf(one) + 1];
        if (next) {
          const byUndoing = changedBy(now, one.match.number, undone);
          next.changed = { ...next.changed, ...handedOn(undone.bracket, one.changed, next.changed, byUndoing) };
        }
        standing = standing.filter((other) => other !== one);
        now = deepFreeze(undone.bracket);
      }
      expect(now).toEqual(state);
    }),
    { numRuns: 400 },
  );
});

it('does not set back what was played after the first of two was undone, in a match that the second left alone', () => {
  const eight = generate('single_elimination', {}, ids(8), 'x');
  const state = deepFreeze([1, 2, 3, 4, 5].reduce((bracket, match) => win(bracket, match, 0), eight));
  const first = allowed(correct(state, 1, { type: 'played', winnerId: playerOf(state, 1, 1) }));
  const since = win(first.bracket, 5, 1);
  const second = allowed(correct(since, 3, { type: 'played', winnerId: playerOf(since, 3, 1) }));
  const [one, other] = [changedBy(state, 1, first), changedBy(since, 3, second)];
  const undone = allowed(undo(second.bracket, one));
  const next = { ...other, ...handedOn(undone.bracket, one, other, changedBy(second.bracket, 1, undone)) };
  const again = allowed(correct(undone.bracket, 1, { type: 'played', winnerId: playerOf(state, 1, 1) })).bracket;
  // Nobody has played it again: what was agreed before comes back. Otherwise what they play now stays.
  expect(findMatch(allowed(undo(again, next)).bracket, 5).winnerId).toBe(playerOf(since, 5, 1));
  const played = win(again, 5, 0);
  expect(findMatch(allowed(undo(played, next)).bracket, 5)).toEqual(findMatch(played, 5));
});

it('leaves a newer result as it is where the one that was lost gives way', () => {
  const end = playOut(generate('single_elimination', {}, ids(4), 'x'));
  const reopened = allowed(reopen(end, 1));
  const { kept, ...rest } = changedBy(end, 1, reopened);
  const loser = playerOf(end, 3, findMatch(end, 3).slots[0].participantId === findMatch(end, 3).winnerId ? 1 : 0);
  const again = win(
    reopened.bracket,
    1,
    findMatch(end, 1).slots[0].participantId === findMatch(end, 1).winnerId ? 0 : 1,
  );
  const since = win(again, 3, findMatch(end, 3).slots[0].participantId === loser ? 0 : 1);
  const undone = (givesWay: boolean) => {
    const all = new Map([...kept].map(([number, one]) => [number, { ...one, givesWay }]));
    return findMatch(allowed(undo(since, { ...rest, kept: all, isAgain: true })).bracket, 3).winnerId;
  };
  expect([undone(true), undone(false)]).toEqual([loser, findMatch(end, 3).winnerId]);
});

const endsEarly: Plan[] = [
  ...[4, 6, 8, 9].map((count) => ({
    format: 'swiss' as const,
    options: { winsToAdvance: 2, lossesToEliminate: 2, playoffs: 2 },
    count,
  })),
  { format: 'swiss', options: { rounds: 5, playoffs: 2 }, count: 4 },
  { format: 'swiss', options: { rounds: 5, playoffs: 4, knockoutFormat: 'double_elimination' }, count: 5 },
];

/** The bracket with its playoffs, where there are any, seeded in another order. */
function seededByHand(bracket: Bracket, order: readonly number[]): Bracket {
  const slots = bracket.matches.flatMap((match) => (match.stage === 2 ? match.slots : []));
  const entered = slots.flatMap(({ source, participantId }) => (source.type === 'standing' ? [participantId] : []));
  const participantIds = order.flatMap((at) => entered[at] ?? []);
  if (entered.length < 2) return bracket;
  return apply(bracket, { type: 'reseed', stage: 2, participantIds }).bracket;
}

const leftAfterwards = fc.record({
  chosen: fc.constantFrom(...endsEarly),
  winners: fc.infiniteStream(fc.constantFrom<0 | 1>(0, 1)),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }),
  leavers: fc.array(fc.nat(20), { minLength: 2, maxLength: 8 }),
  steps: fc.array(step, { maxLength: 3 }),
  choice: anyChoice,
});

it('leaves no gap in the numbers where a Swiss stage that ended early goes on, and brings its playoffs back', () => {
  const isNumbered = ({ matches }: Bracket) => matches.every(({ number }, at) => number === at + 1);
  fc.assert(
    fc.property(leftAfterwards, ({ chosen, winners, order, leavers, steps, choice }) => {
      const pick = () => winners.next().value ?? 0;
      const drawn = playOut(start(chosen), pick, ({ stage }) => stage === 1);
      const end = playOut(seededByHand(drawn, order), pick);
      const leave = leavers.map((at): Step => ({ kind: 'withdraw', at, outcome: 0 }));
      const state = [...leave, ...steps].reduce(take, end);
      expect(isNumbered(state)).toBe(true);
      const made = change(state, choice);
      if (!made) return;
      const changed = deepFreeze(made.correction.bracket);
      expect(isNumbered(changed)).toBe(true);
      expect(allowed(undo(changed, changedBy(state, made.number, made.correction))).bracket).toEqual(state);
    }),
    { numRuns: 400 },
  );
});

it('brings back a round that a Swiss stage ends without, and the playoffs after it', () => {
  const options = { winsToAdvance: 2, lossesToEliminate: 2, playoffs: 2 };
  const end = playOut(generate('swiss', options, ids(8), 'x'));
  const state = ['p3', 'p4', 'p5', 'p6'].reduce(
    (bracket, participantId) => apply(bracket, { type: 'disqualify', participantId }).bracket,
    end,
  );
  const correction = allowed(reopen(state, 5));
  expect(correction.bracket.stages[0]?.endedEarly).toBe('no_legal_pairing');
  expect(correction.bracket.matches.at(-1)).toMatchObject({ number: 9, stage: 2 });
  expect(allowed(undo(correction.bracket, changedBy(state, 5, correction))).bracket).toEqual(state);
});

it('counts a result as lost where the same two are drawn again and one of them has left', () => {
  const options = { winsToAdvance: 2, lossesToEliminate: 2, playoffs: 2 };
  const secondWins = new Set([4, 6, 8, 9, 11, 13, 15]);
  const pick = ({ number }: Match) => (secondWins.has(number) ? 1 : 0);
  const drawn = playOut(generate('swiss', options, ids(9), 'random'), pick, ({ stage }) => stage === 1);
  const end = playOut(seededByHand(drawn, [6, 0, 4, 5, 7, 2, 3, 1]), pick);
  const state = ['p3', 'p8', 'p2', 'p4'].reduce(
    (bracket, participantId) => apply(bracket, { type: 'withdraw', participantId }).bracket,
    end,
  );
  const correction = allowed(correct(state, 12, { type: 'forfeit', participantIds: ['p7', 'p6'] }));
  expect(findMatch(state, 15).decidedBy).toBe('result');
  expect(findMatch(correction.bracket, 15).decidedBy).toBe('departure');
  expect(correction.affected).toContainEqual(
    expect.objectContaining({ match: 15, change: 'cleared', losesResult: true }),
  );
  expect(allowed(undo(correction.bracket, changedBy(state, 12, correction))).bracket).toEqual(state);
});

const since = fc.array(
  step.filter(({ kind }) => kind === 'result' || kind === 'forfeit' || kind === 'withdraw'),
  { minLength: 1, maxLength: 8 },
);

it('keeps what was played since, and brings everything else back where the same two meet', () => {
  fc.assert(
    fc.property(played, since, fc.option(fc.nat(20)), ({ chosen, steps, choice }, more, running) => {
      const state = steps.reduce(take, start(chosen));
      const made = change(state, choice);
      if (!made) return;
      const { number, correction } = made;
      // A match that has been decided since cannot be undone any more.
      const stays = (bracket: Bracket) => bracket.matches.find((one) => one.number === number);
      let later = more.reduce((bracket, one) => {
        const next = take(bracket, one);
        return stays(next) === stays(bracket) ? next : bracket;
      }, correction.bracket);
      const open = later.matches.filter((one) => one.status === 'ready' && one.number !== number);
      const busy = running === null ? undefined : open[running];
      if (busy) later = replaceMatch(later, { ...busy, status: 'in_progress' });
      const changed = changedBy(state, number, correction);
      const undone = undo(deepFreeze(later), changed);
      if (!undone.allowed) {
        expect([undone.reason, busy]).toEqual(['AFFECTED_MATCH_IN_PROGRESS', expect.anything()]);
        return;
      }
      const { bracket } = undone;
      expect(settle(bracket)).toEqual(bracket);
      expect(reportedResult(findMatch(bracket, number))).toEqual(changed.result);
      const after = new Map(bracket.matches.map((match) => [match.number, match]));
      const goes = later.matches.filter((match) => match.number !== number && (isReported(match) || match === busy));
      for (const match of goes) {
        const now = after.get(match.number);
        const lost = match === busy ? undefined : changed.kept.get(match.number);
        const was = lost && String(lost.participantIds) === String(participantsOf(match)) ? lost.result : null;
        if (meetsSame(match, now) && now) expect(was ? reportedResult(now) : now).toEqual(was ?? match);
      }
      for (const match of changed.kept.keys()) {
        const now = after.get(match);
        if (now && now.number !== busy?.number && meetsSame(findMatch(state, match), now))
          expect(isReported(now)).toBe(true);
      }
      const gone = ({ departures }: Bracket) => departures.map(({ participantId }) => participantId).sort();
      expect(gone(bracket)).toEqual(gone(later));
    }),
    { numRuns: 200 },
  );
});

it('leaves matches as they are where others meet now', () => {
  const end = playOut(generate('single_elimination', {}, ids(4), 'x'));
  const first = allowed(reopen(end, 1));
  const second = allowed(correct(first.bracket, 2, { type: 'played', winnerId: 'p3' }));
  const { bracket } = allowed(undo(second.bracket, changedBy(end, 1, first)));
  expect(participantsOf(findMatch(bracket, 3))).toEqual(['p1', 'p3']);
  expect(findMatch(bracket, 3)).toMatchObject({ status: 'ready', winnerId: null });
});

it('brings back what somebody played who has left since, the champion too', () => {
  const end = playOut(generate('double_elimination', {}, ids(8), 'x'));
  const loser = findMatch(end, 1).slots.find(({ result }) => result === 'loss')?.participantId ?? '';
  for (const participantId of ids(8)) {
    const left = apply(end, { type: 'disqualify', participantId }).bracket;
    const correction = allowed(correct(left, 1, { type: 'played', winnerId: loser }));
    expect(allowed(undo(correction.bracket, changedBy(left, 1, correction))).bracket).toEqual(left);
  }
});

it('refuses what cannot be a result of the match any more', () => {
  const end = playOut(generate('single_elimination', {}, ids(2), 'x'));
  const result: MatchResult = { type: 'played', score: [2, 0] };
  const changed = { number: 1, result, kept: new Map(), departures: null, entries: null };
  expect(() => undo(end, changed)).toThrow(expect.objectContaining({ code: 'INVALID_RESULT' }));
});

it('is as before when a reopened match is decided as before, and then those that had lost their results', () => {
  fc.assert(
    fc.property(played, ({ chosen, steps, choice }) => {
      const state = steps.reduce(take, start(chosen));
      const made = change(state, { ...choice, reopens: true });
      if (!made) return;
      const { number, correction } = made;
      const { result, kept } = changedBy(state, number, correction);
      const match = findMatch(state, number);
      const isSwiss = state.stages.some(({ type, number: stage }) => type === 'swiss' && stage === match.stage);
      const rounds = state.matches.flatMap(({ stage, round }) => (stage === match.stage ? [round] : []));
      const gone = state.departures.map(({ participantId }) => participantId);
      const drawsAgain = gone.length > 0 && match.round < Math.max(...rounds);
      // Who has left is not there when Swiss rounds are drawn again, and has left by a Swiss match that they forfeit.
      if (isSwiss && (drawsAgain || participantsOf(match).some((id) => gone.includes(id)))) return;
      let again = correction.bracket;
      for (const [one, lost] of [
        [number, result] as const,
        ...[...kept].map(([at, { result: was }]) => [at, was] as const),
      ]) {
        if (!lost) throw new Error(`match ${one} had no result`);
        again = isDecided(findMatch(again, one))
          ? allowed(correct(again, one, lost)).bracket
          : apply(again, { type: 'result', match: one, result: lost }).bracket;
      }
      expect(again.departures).toEqual(state.departures);
      // Correcting what somebody forfeits by now deletes what had followed from the forfeit.
      const decided = [number, ...kept.keys()].map((one) => participantsOf(findMatch(state, one)));
      if (!decided.flat().some((id) => gone.includes(id))) expect(again).toEqual(state);
    }),
    { numRuns: 200 },
  );
});
