import { describe, expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import mtgo from '@/domain/brackets/fixtures/mtgo-swiss-160.json';
import { correct } from '@/domain/brackets/play/correction';
import { isComplete } from '@/domain/brackets/play/outcomes';
import { apply, decideMatch } from '@/domain/brackets/play/progress';
import { settle } from '@/domain/brackets/play/settle';
import { ids, matchOf, playOut, report } from '@/domain/brackets/playing.fixture';
import { swissMatches } from '@/domain/brackets/swiss/swiss';
import { type Bracket, type Pair, type SlotIndex, TIEBREAKERS, type TiebreakerName } from '@/domain/brackets/types';
import { standings } from './standings';
import { buildTable } from './table';
import { describeTiebreaker, rankTable } from './tiebreakers';

describe('the match-win family', () => {
  const tiebreakers: TiebreakerName[] = [
    'points',
    'rounds_played',
    'opponent_match_win_percentage',
    'game_win_percentage',
    'opponent_game_win_percentage',
  ];
  const id = (player: number) => `p${player + 1}`;

  /** The event with its real pairings, which were not ours. */
  function importEvent(): Bracket {
    let bracket: Bracket = {
      ...generate('swiss', { rounds: 8, bestOf: 3, tiebreakers }, ids(mtgo.players), 'mtgo'),
      matches: [],
    };
    for (const [at, round] of mtgo.rounds.entries()) {
      const pairs = round.flatMap(([one, other]) =>
        typeof one === 'number' && typeof other === 'number' ? [[id(one), id(other)] as const] : [],
      );
      for (const [one, other] of round) if (other === null) bracket = withRound(bracket, at + 1, [], id(one ?? 0));
      bracket = withRound(bracket, at + 1, pairs, null);
      for (const [one, other, won = 0, lost = 0, drawn = 0] of round) {
        if (typeof one !== 'number' || typeof other !== 'number') continue;
        const match = matchOf(bracket, id(one), id(other), { round: at + 1 });
        const games = [...Array(won ?? 0).fill(0), ...Array(lost ?? 0).fill(1), ...Array(drawn ?? 0).fill(null)];
        bracket = decideMatch(bracket, match, {
          type: 'played',
          games: games.map((winner: SlotIndex | null) => ({ winner })),
        });
      }
    }
    return settle(bracket);
  }
  const withRound = (bracket: Bracket, round: number, pairs: readonly Pair<string>[], bye: string | null) => ({
    ...bracket,
    matches: [...bracket.matches, ...swissMatches(bracket, 1, round, bracket.matches.length + 1, { pairs, bye })],
  });

  const bracket = importEvent();
  const rows = standings(bracket).stages[0]?.groups[0]?.rows ?? [];

  it('reproduces every figure of a real event of 160 players', () => {
    expect(isComplete(bracket)).toBe(true);
    const shown = (value: number | null | undefined) => Number((100 * (value ?? Number.NaN)).toFixed(1));
    const ours = new Map(
      rows.map(({ participantId, points, played, tiebreakers }) => [
        participantId,
        {
          points,
          played,
          omwp: shown(tiebreakers.opponent_match_win_percentage),
          gwp: shown(tiebreakers.game_win_percentage),
          ogwp: shown(tiebreakers.opponent_game_win_percentage),
        },
      ]),
    );
    for (const { player, points, played, omwp, gwp, ogwp } of mtgo.standings) {
      const percent = (share: number) => Number((100 * share).toFixed(1));
      expect(ours.get(id(player)), `player ${player}`).toEqual({
        points,
        played,
        omwp: percent(omwp),
        gwp: percent(gwp),
        ogwp: percent(ogwp),
      });
    }
  });

  it('reproduces the order of all 160, two of whom are tied on everything', () => {
    const order = rows.map(({ participantId }) => participantId);
    const real = mtgo.standings.map(({ player }) => id(player));
    expect(order.filter((_, at) => at !== 151 && at !== 152)).toEqual(real.filter((_, at) => at !== 151 && at !== 152));
    expect(order.slice(151, 153).sort()).toEqual(real.slice(151, 153).sort());
  });
});

/** A round robin where the given first participant of each pair won; others are not played. */
function roundRobin(count: number, wins: readonly (readonly [string, string])[], tiebreakers: TiebreakerName[]) {
  let bracket = generate('round_robin', { tiebreakers }, ids(count), 'seed');
  for (const [winnerId, loserId] of wins) {
    bracket = report(bracket, matchOf(bracket, winnerId, loserId).number, { type: 'played', winnerId });
  }
  return bracket;
}
const orderOf = (bracket: Bracket) =>
  standings(bracket).stages[0]?.groups[0]?.rows.map(({ participantId }) => participantId);

describe('rankTable', () => {
  it('orders the tied by the matches among them alone', () => {
    // Two wins each for p1, p2 and p3 would be a circle; p4 beat p1, so that p1 and p4 are tied with one win.
    const bracket = roundRobin(
      4,
      [
        ['p2', 'p1'],
        ['p3', 'p1'],
        ['p1', 'p4'],
        ['p3', 'p2'],
        ['p4', 'p3'],
        ['p2', 'p4'],
      ],
      ['points', 'head_to_head'],
    );
    expect(orderOf(bracket)).toEqual(['p3', 'p2', 'p1', 'p4']);
  });

  it('leaves a circle to the next tie-break', () => {
    const circle = [
      ['p1', 'p2'],
      ['p2', 'p3'],
      ['p3', 'p1'],
    ] as const;
    expect(orderOf(roundRobin(3, circle, ['points', 'head_to_head', 'seed']))).toEqual(['p1', 'p2', 'p3']);
  });

  it('says nothing about those who have not all met', () => {
    const bracket = roundRobin(
      4,
      [
        ['p3', 'p1'],
        ['p4', 'p2'],
      ],
      ['points', 'head_to_head', 'seed'],
    );
    const rows = standings(bracket).stages[0]?.groups[0]?.rows ?? [];
    expect(rows.map(({ participantId, tiebreakers }) => [participantId, tiebreakers.head_to_head])).toEqual([
      ['p3', null],
      ['p4', null],
      ['p1', null],
      ['p2', null],
    ]);
  });

  it('orders those tied on everything by the ruling of staff, then by seed', () => {
    const circle = [
      ['p1', 'p2'],
      ['p2', 'p3'],
      ['p3', 'p1'],
    ] as const;
    const bracket = roundRobin(3, circle, ['points', 'head_to_head', 'seed']);
    const action = {
      type: 'rule_tie',
      stage: 1,
      group: 1,
      ruling: { order: ['p3', 'p2', 'p1'], reason: 'By lot' },
    } as const;
    const ruled = apply(bracket, action);
    expect(orderOf(ruled.bracket)).toEqual(['p3', 'p2', 'p1']);
    expect(ruled.patch.stages).toHaveLength(1);
    expect(orderOf(apply(ruled.bracket, { ...action, ruling: null }).bracket)).toEqual(['p1', 'p2', 'p3']);
    // As if it had been made for a tie that a correction has changed since.
    const stages = ruled.bracket.stages.map((stage) => ({
      ...stage,
      groups: stage.groups.map((group) => ({ ...group, ruling: { order: ['p3', 'p2'], reason: 'By lot' } })),
    }));
    expect(orderOf({ ...ruled.bracket, stages }), 'it does not name all who are tied').toEqual(['p1', 'p2', 'p3']);
  });

  it('orders by a ruling only those whom it named as one tie', () => {
    const wins = [
      ['p1', 'p3'],
      ['p1', 'p4'],
      ['p2', 'p3'],
      ['p2', 'p4'],
    ] as const;
    let bracket = roundRobin(4, wins, ['points', 'seed']);
    for (const [a, b] of [
      ['p1', 'p2'],
      ['p3', 'p4'],
    ] as const) {
      bracket = report(bracket, matchOf(bracket, a, b).number, { type: 'played', winnerId: null });
    }
    const ruling = { order: ['p4', 'p3', 'p2', 'p1'], reason: 'By lot' };
    const ruled = apply(bracket, { type: 'rule_tie', stage: 1, group: 1, ruling }).bracket;
    expect(orderOf(ruled)).toEqual(['p2', 'p1', 'p4', 'p3']);
    const upset = { type: 'played', winnerId: 'p4' } as const;
    const corrected = correct(ruled, matchOf(ruled, 'p2', 'p4').number, upset);
    if (!corrected.allowed) throw new Error(corrected.reason);
    const points = standings(corrected.bracket).stages[0]?.groups[0]?.rows.map((row) => [
      row.participantId,
      row.points,
    ]);
    expect(points, 'p2 and p4 were named in different ties').toEqual([
      ['p1', 7],
      ['p2', 4],
      ['p4', 4],
      ['p3', 1],
    ]);
    // As rulings were stored before ties were kept with them.
    const stages = corrected.bracket.stages.map((stage) => ({
      ...stage,
      groups: stage.groups.map((group) => ({ ...group, ruling })),
    }));
    expect(orderOf({ ...corrected.bracket, stages })).toEqual(['p1', 'p4', 'p2', 'p3']);
  });

  it('computes sums over opponents', () => {
    const bracket = playOut(generate('round_robin', {}, ids(4), 'seed'));
    const table = buildTable(bracket.participants, bracket.matches, bracket.options, 'seed');
    const first = rankTable(table, [
      'buchholz',
      'median_buchholz',
      'sonneborn_berger',
      'difficulty',
      'scores_for',
    ]).find(({ participantId }) => participantId === 'p2');
    // p2 beat p3 (3 points) and p4 (none) and lost to p1 (9 points).
    expect(first?.tiebreakers).toEqual({
      buchholz: 12,
      median_buchholz: 3,
      sonneborn_berger: 3,
      difficulty: 3 + -1 + -3,
      scores_for: 0,
    });
  });

  it('draws lots the same way for the same random seed', () => {
    const bracket = generate('round_robin', { tiebreakers: ['random'] }, ids(20), 'a');
    expect(orderOf(bracket)).toEqual(orderOf(generate('round_robin', { tiebreakers: ['random'] }, ids(20), 'a')));
    expect(orderOf(bracket)).not.toEqual(orderOf({ ...bracket, randomSeed: 'b' }));
  });
});

describe('describeTiebreaker', () => {
  it('has a sentence for every tie-break', () => {
    const sentences = TIEBREAKERS.map(describeTiebreaker);
    expect(new Set(sentences).size).toBe(TIEBREAKERS.length);
    expect(sentences.every((sentence) => /^\p{Lu}.+\.$/u.test(sentence))).toBe(true);
  });
});
