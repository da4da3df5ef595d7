import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CustomMatch, generateCustom } from '@/domain/brackets/draw/custom-tree';
import { generate } from '@/domain/brackets/draw/generate';
import mtgo from '@/domain/brackets/fixtures/mtgo-swiss-160.json';
import { correct, reopen, undo } from '@/domain/brackets/play/correction';
import { allowed, change, changedBy, choice } from '@/domain/brackets/play/correction.fixture';
import { apply } from '@/domain/brackets/play/progress';
import { deepFreeze, ids, playOut } from '@/domain/brackets/playing.fixture';
import { type Plan, perform, plan, step as randomStep } from '@/domain/brackets/random-play.fixture';
import { standings } from '@/domain/brackets/tables/standings';
import type { Bracket, Format, FormatOptions } from '@/domain/brackets/types';
import { costOf } from '@/test/processor';
import { type RecordedMatch, type Recording, record } from './recording';
import { restore } from './restore';

const throughJson = (recording: Recording): Recording => JSON.parse(JSON.stringify(recording));

type Step =
  | { kind: 'win' | 'correct'; match: number; slot: 0 | 1 }
  | { kind: 'forfeit' | 'both_forfeit' | 'reopen' | 'start'; match: number }
  | { kind: 'leave'; participant: number; type: 'withdraw' | 'disqualify' }
  | { kind: 'reseed' | 'rule' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({ kind: fc.constant('win' as const), match: fc.nat(), slot: fc.constantFrom(0, 1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('correct' as const), match: fc.nat(), slot: fc.constantFrom(0, 1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('forfeit', 'both_forfeit', 'reopen', 'start'), match: fc.nat() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('leave' as const),
      participant: fc.nat(),
      type: fc.constantFrom('withdraw', 'disqualify'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('reseed', 'rule') }) },
);

/** The bracket after a step, or as it was when the engine refuses it. */
function take(bracket: Bracket, given: Step): Bracket {
  try {
    return tryStep(bracket, given);
  } catch (error) {
    if (error instanceof Error && error.name === 'BracketError') return bracket;
    throw error;
  }
}

function tryStep(bracket: Bracket, given: Step): Bracket {
  const open = bracket.matches.filter(({ status }) => status === 'ready');
  const decided = bracket.matches.filter(({ decidedBy }) => decidedBy === 'result' || decidedBy === 'forfeit');
  const pick = <T>(list: readonly T[], at: number) => list[at % Math.max(1, list.length)];
  switch (given.kind) {
    case 'win':
    case 'correct': {
      const match = pick(given.kind === 'win' ? open : decided, given.match);
      if (!match) return bracket;
      const result = { type: 'played', winnerId: match.slots[given.slot].participantId } as const;
      if (given.kind === 'win') return apply(bracket, { type: 'result', match: match.number, result }).bracket;
      const correction = correct(bracket, match.number, result);
      return correction.allowed ? correction.bracket : bracket;
    }
    case 'forfeit':
    case 'both_forfeit': {
      const match = pick(open, given.match);
      if (!match) return bracket;
      const all = match.slots.flatMap(({ participantId }) => participantId ?? []);
      const result = { type: 'forfeit', participantIds: given.kind === 'forfeit' ? all.slice(0, 1) : all } as const;
      return apply(bracket, { type: 'result', match: match.number, result }).bracket;
    }
    case 'reopen': {
      const match = pick(decided, given.match);
      const correction = match && reopen(bracket, match.number);
      return correction?.allowed ? correction.bracket : bracket;
    }
    case 'start': {
      const number = pick(open, given.match)?.number;
      const matches = bracket.matches.map((match) =>
        match.number === number ? { ...match, status: 'in_progress' as const } : match,
      );
      return { ...bracket, matches };
    }
    case 'leave': {
      const participantId = pick(bracket.participants, given.participant)?.participantId ?? '';
      return apply(bracket, { type: given.type, participantId }).bracket;
    }
    case 'reseed': {
      const last = bracket.stages.at(-1);
      const entered = bracket.matches
        .filter(({ stage }) => stage === last?.number)
        .flatMap(({ slots }) => slots)
        .flatMap(({ participantId, source }) =>
          participantId !== null && (source.type === 'group' || source.type === 'standing') ? [participantId] : [],
        );
      return apply(bracket, { type: 'reseed', stage: last?.number ?? 1, participantIds: entered.toReversed() }).bracket;
    }
    case 'rule': {
      for (const { number: stage, groups } of standings(bracket).stages) {
        const tied = groups.find(({ ties }) => ties.length > 0);
        if (!tied) continue;
        const ruling = { order: (tied.ties[0] ?? []).toReversed(), reason: 'By lot' };
        return apply(bracket, { type: 'rule_tie', stage, group: tied.number, ruling }).bracket;
      }
      return bracket;
    }
  }
}

const formats: [string, Format, FormatOptions, min: number][] = [
  ['single elimination', 'single_elimination', { thirdPlace: true }, 4],
  ['double elimination', 'double_elimination', {}, 2],
  ['round robin', 'round_robin', { legs: 2 }, 2],
  ['Swiss', 'swiss', {}, 3],
  ['Swiss with playoffs', 'swiss', { rounds: 3, playoffs: 4, knockoutFormat: 'double_elimination' }, 6],
  ['a Counter-Strike major', 'swiss', { winsToAdvance: 2, lossesToEliminate: 2, playoffs: 4 }, 8],
  ['groups to a knockout', 'groups_to_knockout', { groups: 2, thirdPlace: true }, 6],
  ['groups of which one place advances', 'groups_to_knockout', { groups: 3, advancePerGroup: 1 }, 7],
];

describe('restore', () => {
  it.each(formats)('makes the same bracket of what was recorded of %s', (_name, format, options, min) => {
    const plays = fc.record({
      count: fc.integer({ min, max: min + 9 }),
      steps: fc.array(step, { maxLength: 120 }),
    });
    fc.assert(
      fc.property(plays, ({ count, steps }) => {
        const played = steps.reduce(take, generate(format, options, ids(count), 'seed'));
        const recording = deepFreeze(throughJson(record(played)));
        expect(restore(recording)).toEqual(played);
      }),
      { numRuns: 60 },
    );
  });

  it('plays again what would have followed had somebody left earlier than they did', () => {
    const drawn = generate('double_elimination', {}, ids(6), 'seed');
    const [first = '', second = ''] = drawn.participants.map(({ participantId }) => participantId);
    let played = apply(drawn, { type: 'withdraw', participantId: second }).bracket;
    for (const number of [2, 4, 7, 10, 11, 12, 13, 14]) {
      const slots = played.matches.find((match) => match.number === number)?.slots;
      const winnerId = slots?.[number === 10 ? 1 : 0].participantId ?? '';
      played = apply(played, { type: 'result', match: number, result: { type: 'played', winnerId } }).bracket;
    }
    played = apply(played, { type: 'withdraw', participantId: first }).bracket;
    expect(restore(throughJson(record(played)))).toEqual(played);
  });

  it('makes the same GSL groups after somebody left in the knockout, and a match of theirs was opened again', () => {
    const options = { groups: 2, groupFormat: 'gsl', knockoutFormat: 'double_elimination' } as const;
    const over = playOut(generate('groups_to_knockout', options, ids(8), 'seed'));
    for (const { stage, number, slots } of over.matches) {
      const leaver = slots[0].participantId ?? '';
      if (stage !== 1 || !over.matches.some((one) => one.stage === 2 && one.slots[0].participantId === leaver))
        continue;
      const left = apply(over, { type: 'disqualify', participantId: leaver }).bracket;
      const reopened = reopen(left, number);
      const played = playOut(reopened.allowed ? reopened.bracket : left);
      for (const state of [reopened.allowed ? reopened.bracket : left, played]) {
        expect(restore(throughJson(record(state)))).toEqual(state);
      }
    }
  });

  it('makes the same GSL groups', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const options = { groups: 2, groupFormat: 'gsl', knockoutFormat: 'double_elimination' } as const;
        const played = steps.reduce(take, generate('groups_to_knockout', options, ids(8), 'seed'));
        expect(restore(throughJson(record(played)))).toEqual(played);
      }),
      { numRuns: 60 },
    );
  });

  it('makes the same tree of edges', () => {
    const tree: CustomMatch[] = [
      { key: 'final', slots: [{ winner: 'semi 1' }, { winner: 'semi 2' }] },
      { key: 'play-in', slots: [{ seed: 4 }, { seed: 5 }] },
      { key: 'semi 1', slots: [{ seed: 1 }, { winner: 'play-in' }] },
      { key: 'semi 2', slots: [{ seed: 2 }, { seed: 3 }] },
      {
        key: 'third',
        slots: [{ loser: 'semi 1' }, { loser: 'semi 2' }],
        bracket: 'losers',
        winnerRank: 3,
        loserRank: 4,
      },
    ];
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const played = steps.reduce(take, generateCustom(tree, { bestOf: 3 }, ids(5), 'seed'));
        expect(restore(throughJson(record(played)))).toEqual(played);
      }),
      { numRuns: 100 },
    );
  });
});

/** With other ids of participants. */
const rename = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(/"(p\d+)"/g, '"copy of $1"'));

/** The bracket of a file that somebody imports: everybody has another id in it. */
function copyOf(played: Bracket): Bracket {
  const { lots, ...rest } = record(played);
  return restore({ ...rename(rest), lots });
}

const withoutLots = ({ participants, ...bracket }: Bracket) => bracket;

describe('restore under other ids', () => {
  const tables = [{}, { tiebreakers: ['points', 'random'] as const }];
  const plays = fc.record({
    chosen: plan,
    tiebreaks: fc.constantFrom(...tables),
    steps: fc.array(randomStep, { maxLength: 80 }),
    choice,
  });
  const start = ({ format, options, count }: Plan, more: FormatOptions) =>
    generate(format, format.endsWith('elimination') ? options : { ...options, ...more }, ids(count), 'seed');

  it('keeps ranks, pairings and lots, also when a result is corrected and the correction undone', () => {
    fc.assert(
      fc.property(plays, ({ chosen, tiebreaks, steps, choice: chosenChange }) => {
        const played = steps.reduce(
          (bracket, one) => perform(bracket, one)?.bracket ?? bracket,
          start(chosen, tiebreaks),
        );
        const copy = copyOf(played);
        expect(withoutLots(copy)).toEqual(rename(withoutLots(played)));
        expect(standings(copy)).toEqual(rename(standings(played)));
        expect(restore(throughJson(record(copy)))).toEqual(copy);
        const [made, copied] = [change(played, chosenChange), change(copy, chosenChange)];
        if (!made || !copied) return;
        expect(withoutLots(copied.correction.bracket)).toEqual(rename(withoutLots(made.correction.bracket)));
        const kept = changedBy(copy, copied.number, copied.correction);
        expect(allowed(undo(copied.correction.bracket, kept)).bracket).toEqual(copy);
      }),
      { numRuns: 300 },
    );
  });
});

/** The real event of 160, whose pairings are not ours. */
function mtgoRecording(): Recording {
  const name = (player: number) => `player-${player}`;
  const matches: RecordedMatch[] = [];
  const lastRound = new Map<number, number>();
  for (const [at, pairs] of mtgo.rounds.entries()) {
    const sorted = [...pairs].sort((a, b) => Number(a[1] === null) - Number(b[1] === null));
    for (const [one, other, won, lost] of sorted as [number, number | null, number, number][]) {
      for (const player of [one, other]) if (player !== null) lastRound.set(player, at + 1);
      matches.push({
        ...{ number: matches.length + 1, stage: 1, bracket: 'group', round: at + 1, winnerRank: null, loserRank: null },
        participantIds: [name(one), other === null ? null : name(other)],
        sources: [null, null],
        result: other === null ? null : { type: 'played', score: [won, lost] },
        status: 'completed',
      });
    }
  }
  return {
    format: 'swiss',
    options: { bestOf: 3, rounds: mtgo.rounds.length },
    randomSeed: 'mtgo',
    participantIds: mtgo.standings.map(({ player }) => name(player)).sort(),
    stages: [{ number: 1, type: 'swiss', rulings: [] }],
    matches,
    departures: [],
  };
}

describe('restore of pairings that are not ours', () => {
  it('keeps all eight rounds of 160 and their points', () => {
    expect(costOf(() => restore(mtgoRecording()))).toBeLessThan(2000);
    const bracket = restore(mtgoRecording());
    const [table] = standings(bracket).stages[0]?.groups ?? [];
    const points = new Map(table?.rows.map((row) => [row.participantId, row.points]));
    for (const { player, points: earned } of mtgo.standings) expect(points.get(`player-${player}`)).toBe(earned);
    expect(bracket.matches).toHaveLength(mtgo.rounds.flat().length);
  });
});
