import { describe, expect, it } from 'vitest';
import mtgo from '@/domain/brackets/fixtures/mtgo-swiss-160.json';
import ncaa from '@/domain/brackets/fixtures/ncaa-2019.json';
import { finalPlaces, isComplete } from '@/domain/brackets/play/outcomes';
import { ids, matchOf, playOut, report, reportScore } from '@/domain/brackets/playing.fixture';
import { type CustomMatch, generateCustom } from './custom-tree';
import type { TreeRef } from './tree';

describe('generateCustom', () => {
  it('plays the 2019 NCAA tournament by its regions, with play-ins', () => {
    const codes = [
      ...ncaa.teams.map(({ code }) => code).filter((code) => !ncaa.playIns.some(({ slot }) => slot === code)),
      ...ncaa.playIns.flatMap(({ codes }) => codes),
    ];
    const ref = (source: string): TreeRef => {
      const seed = codes.indexOf(source) + 1;
      return seed > 0 ? { seed } : { winner: source };
    };
    const tree = ncaa.slots.map(([key = '', one = '', other = '']): CustomMatch => {
      return { key, slots: [ref(one), ref(other)] };
    });
    let bracket = generateCustom(tree, {}, codes, 'ncaa');
    expect(bracket.matches).toHaveLength(67);
    const play = (one: string, other: string, score: readonly number[]) => {
      const match = matchOf(bracket, one, other);
      const scores = [score[0] ?? 0, score[1] ?? 0] as const;
      const isInOrder = match.slots[0].participantId === one;
      const games = [{ scores: isInOrder ? scores : ([scores[1], scores[0]] as const) }];
      bracket = report(bracket, match.number, { type: 'played', games });
    };
    for (const { codes: pair, score } of ncaa.playIns) play(pair[0] ?? '', pair[1] ?? '', score);
    const codeOf = (seed: number | undefined) => {
      const playIn = ncaa.playIns.find((one) => one.seed === seed);
      return playIn?.winner ?? ncaa.teams.find((team) => team.seed === seed)?.code ?? '';
    };
    for (const { seeds, score } of ncaa.matches) play(codeOf(seeds[0]), codeOf(seeds[1]), score);
    expect(isComplete(bracket)).toBe(true);
    const places = finalPlaces(bracket);
    expect(places[0]?.participantId).toBe('Z01');
    const counts = new Map<number, number>();
    for (const { rank } of places) counts.set(rank, (counts.get(rank) ?? 0) + 1);
    expect([...counts]).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
      [5, 4],
      [9, 8],
      [17, 16],
      [33, 32],
      [65, 4],
    ]);
  });

  it('plays a bracket of eight with matches for third, fifth and seventh place', () => {
    const winner = (key: string) => ({ winner: key });
    const loser = (key: string) => ({ loser: key });
    const tree: CustomMatch[] = [
      { key: 'Q1', slots: [{ seed: 1 }, { seed: 8 }] },
      { key: 'Q2', slots: [{ seed: 4 }, { seed: 5 }] },
      { key: 'Q3', slots: [{ seed: 2 }, { seed: 7 }] },
      { key: 'Q4', slots: [{ seed: 3 }, { seed: 6 }] },
      { key: 'L1', slots: [loser('Q1'), loser('Q2')], bracket: 'losers' },
      { key: 'L2', slots: [loser('Q3'), loser('Q4')], bracket: 'losers' },
      { key: 'S1', slots: [winner('Q1'), winner('Q2')] },
      { key: 'S2', slots: [winner('Q3'), winner('Q4')] },
      { key: '7th', slots: [loser('L1'), loser('L2')], bracket: 'losers', winnerRank: 7, loserRank: 8 },
      { key: '5th', slots: [winner('L1'), winner('L2')], bracket: 'losers', winnerRank: 5, loserRank: 6 },
      { key: '3rd', slots: [loser('S1'), loser('S2')], bracket: 'losers', winnerRank: 3, loserRank: 4 },
      { key: 'Final', slots: [winner('S1'), winner('S2')] },
    ];
    const top = mtgo.standings.slice(0, 8).map(({ player }) => `player-${player}`);
    let bracket = generateCustom(tree, { bestOf: 3 }, top, 'mtgo');
    for (const { matches } of mtgo.playoff) {
      for (const [one, other, won = 0, lost = 0] of matches) {
        const match = matchOf(bracket, `player-${one}`, `player-${other}`, { status: 'ready' });
        bracket = reportScore(bracket, match, `player-${one}`, [won, lost]);
      }
    }
    expect(isComplete(bracket)).toBe(true);
    expect(finalPlaces(bracket).map(({ rank, participantId }) => [rank, participantId])).toEqual(
      [84, 77, 124, 90, 106, 123, 45, 71].map((player, at) => [at + 1, `player-${player}`]),
    );
  });

  it('numbers a match after those that feed it, whatever order they come in', () => {
    const bracket = generateCustom(
      [
        { key: 'F', slots: [{ winner: 'A' }, { seed: 1 }] },
        { key: 'A', slots: [{ seed: 2 }, { seed: 3 }] },
      ],
      {},
      ids(3),
      'x',
    );
    expect(bracket.matches.map(({ number, bracket: side, round }) => [number, side, round])).toEqual([
      [1, 'winners', 1],
      [2, 'final', 1],
    ]);
    expect(bracket.matches[0]?.winnerTo).toEqual({ match: 2, slot: 0 });
    expect(finalPlaces(playOut(bracket)).map(({ rank }) => rank)).toEqual([1, 2, 3]);
  });

  it.each<[string, CustomMatch[]]>([
    ['an unknown match', [{ key: 'F', slots: [{ winner: 'X' }, { seed: 1 }] }]],
    ['an unknown seed', [{ key: 'F', slots: [{ seed: 5 }, { seed: 1 }] }]],
    ['a seed twice', [{ key: 'F', slots: [{ seed: 1 }, { seed: 1 }] }]],
    [
      'a key twice',
      [
        { key: 'F', slots: [{ seed: 1 }, { seed: 2 }] },
        { key: 'F', slots: [{ seed: 3 }, { seed: 4 }] },
      ],
    ],
    [
      'a cycle',
      [
        { key: 'A', slots: [{ winner: 'B' }, { seed: 1 }] },
        { key: 'B', slots: [{ winner: 'A' }, { seed: 2 }] },
      ],
    ],
  ])('refuses %s', (_, tree) => {
    expect(() => generateCustom(tree, {}, ids(4), 'x')).toThrow(expect.objectContaining({ code: 'INVALID_TREE' }));
  });

  it('draws thousands of matches that lead nowhere without looking at each for each', () => {
    const bye = { bye: true } as const;
    const tree = Array.from({ length: 6_144 }, (_, at): CustomMatch => ({ key: `${at}`, slots: [bye, bye] }));
    const before = process.cpuUsage();
    generateCustom([...tree, { key: 'F', slots: [{ seed: 1 }, { seed: 2 }] }], {}, ids(2), 'x');
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(300);
  });
});
