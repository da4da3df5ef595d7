import { describe, expect, it, vi } from 'vitest';
import valorant from '@/domain/brackets/fixtures/valorant-champions-2025.json';
import worldCup from '@/domain/brackets/fixtures/worldcup-2022.json';
import { finalPlaces, isComplete } from '@/domain/brackets/play/outcomes';
import { apply } from '@/domain/brackets/play/progress';
import { ids, matchOf, playOut, report, reportScore } from '@/domain/brackets/playing.fixture';
import { standings } from '@/domain/brackets/tables/standings';
import type { Bracket } from '@/domain/brackets/types';
import { generate } from './generate';
import { assignGroups, groupName, gslRound, gslTree, knockoutEntries } from './groups';

const text = (entries: ReturnType<typeof knockoutEntries>) =>
  entries.map((entry) => (entry.type === 'group' ? `${groupName(entry.group)}${entry.rank}` : '?'));

describe('World Cup 2022', () => {
  const groupMatches = worldCup.matches.filter(({ group }) => group !== undefined);
  const teams = [...new Set(groupMatches.flatMap(({ teams }) => teams))];
  const groupOf = (team: string) => {
    const letter = groupMatches.find(({ teams }) => teams.includes(team))?.group?.at(-1) ?? '';
    return letter.charCodeAt(0) - 64;
  };
  const options = {
    groups: 8,
    groupAssignments: teams.map((team) => ({ participantId: team, group: groupOf(team) })),
    thirdPlace: true,
  };
  type Real = (typeof worldCup.matches)[number];

  /** The score of the game, and for a knockout match decided on penalties who won those. */
  const feed = (bracket: Bracket, real: Real, stage: number) => {
    const [one = '', other = ''] = real.teams;
    const [first = 0, second = 0] = real.extraTime ?? real.score;
    const match = matchOf(bracket, one, other, { stage });
    const isInOrder = match.slots[0].participantId === one;
    const [p = 0, q = 0] = real.penalties ?? [];
    const winner = p === q ? {} : { winner: p > q === isInOrder ? (0 as const) : (1 as const) };
    const scores = isInOrder ? ([first, second] as const) : ([second, first] as const);
    return report(bracket, match.number, { type: 'played', games: [{ scores, ...winner }] });
  };
  const afterGroups = groupMatches.reduce(
    (bracket, real) => feed(bracket, real, 1),
    generate('groups_to_knockout', options, teams, 'world cup'),
  );

  it('ranks every group as it was', () => {
    const tables = standings(afterGroups).stages[0]?.groups.map(({ name, rows }) => [
      name,
      ...rows.map(({ participantId, points }) => `${participantId} ${points}`),
    ]);
    expect(tables).toEqual([
      ['A', 'Netherlands 7', 'Senegal 6', 'Ecuador 4', 'Qatar 0'],
      ['B', 'England 7', 'USA 5', 'Iran 3', 'Wales 1'],
      ['C', 'Argentina 6', 'Poland 4', 'Mexico 4', 'Saudi Arabia 3'],
      ['D', 'France 6', 'Australia 6', 'Tunisia 4', 'Denmark 1'],
      ['E', 'Japan 6', 'Spain 4', 'Germany 4', 'Costa Rica 3'],
      ['F', 'Morocco 7', 'Croatia 5', 'Belgium 4', 'Canada 0'],
      ['G', 'Brazil 6', 'Switzerland 6', 'Cameroon 4', 'Serbia 1'],
      ['H', 'Portugal 6', 'South Korea 4', 'Uruguay 4', 'Ghana 3'],
    ]);
  });

  it('draws the real knockout from the round of 16 to the final and the match for third place', () => {
    const knockout = worldCup.matches.filter(({ group }) => group === undefined);
    const drawn = afterGroups.matches.filter(
      ({ stage, round, bracket }) => stage === 2 && round === 1 && bracket === 'winners',
    );
    const pairs = (lists: readonly (readonly (string | null)[])[]) =>
      lists.map((list) => list.toSorted().join(' v ')).sort();
    expect(pairs(drawn.map(({ slots }) => slots.map(({ participantId }) => participantId)))).toEqual(
      pairs(knockout.slice(0, 8).map(({ teams }) => teams)),
    );
    const end = knockout.reduce((bracket, real) => feed(bracket, real, 2), afterGroups);
    expect(isComplete(end)).toBe(true);
    const places = finalPlaces(end).map(({ rank, participantId }) => `${rank} ${participantId}`);
    expect(places.slice(0, 4)).toEqual(['1 Argentina', '2 France', '3 Croatia', '4 Morocco']);
    expect(
      finalPlaces(end)
        .map(({ rank }) => rank)
        .slice(4),
    ).toEqual([...Array(4).fill(5), ...Array(8).fill(9), ...Array(8).fill(17), ...Array(8).fill(25)]);
  });
});

describe('VALORANT Champions 2025', () => {
  const groups = valorant.stages.slice(0, 4);
  const playoffs = valorant.stages[4];
  const nameOf = (stage: (typeof valorant.stages)[number] | undefined, seed: number | undefined) =>
    stage?.teams.find((team) => team.seed === seed)?.name ?? '';
  const sideOf = { W: 'winners', L: 'losers', G: 'final' } as const;
  const address = (round: string) => ({
    bracket: Object.entries(sideOf).find(([letter]) => round.startsWith(letter))?.[1] ?? ('group' as const),
    round: Number(/\d+/.exec(round)?.[0]),
  });
  const feed = (start: Bracket, stage: (typeof valorant.stages)[number], number: number) =>
    stage.matches.reduce((bracket, { round, seeds, score }) => {
      const [one, other] = seeds.map((seed) => nameOf(stage, seed));
      const match = matchOf(bracket, one ?? '', other ?? '', { stage: number, ...address(round) });
      return reportScore(bracket, match, one ?? '', [score[0] ?? 0, score[1] ?? 0]);
    }, start);

  it('plays four GSL groups and the double elimination with its places', () => {
    const bestOfOverrides = [
      { bracket: 'losers', roundsFromEnd: 1, bestOf: 5 },
      { bracket: 'final', bestOf: 5 },
    ] as const;
    const seeds = [1, 2, 3, 4].flatMap((seed) => groups.map((group) => nameOf(group, seed)));
    const options = {
      groups: 4,
      groupFormat: 'gsl',
      knockoutFormat: 'double_elimination',
      grandFinalReset: false,
      bestOf: 3,
      bestOfOverrides,
      groupAssignments: groups.flatMap((group, at) =>
        group.teams.map(({ name }) => ({ participantId: name, group: at + 1 })),
      ),
    } as const;
    let bracket = generate('groups_to_knockout', options, seeds, 'valorant');
    bracket = groups.reduce((state, group) => feed(state, group, 1), bracket);
    const advanced = standings(bracket).stages[0]?.groups.map(({ rows }) =>
      rows.filter(({ outcome }) => outcome === 'advanced').map(({ participantId }) => participantId),
    );
    expect(advanced).toEqual(groups.map((group) => group.advanced?.map((seed) => nameOf(group, seed))));
    if (!playoffs) throw new Error('no playoffs');
    const participantIds = playoffs.teams.map(({ name }) => name);
    bracket = apply(bracket, { type: 'reseed', stage: 2, participantIds }).bracket;
    bracket = feed(bracket, playoffs, 2);
    expect(isComplete(bracket)).toBe(true);
    expect(bracket.matches).toHaveLength(34);
    const places = finalPlaces(bracket).slice(0, 8);
    expect(places.map(({ rank, participantId }) => `${rank} ${participantId}`).sort()).toEqual(
      Object.entries(playoffs.places ?? {})
        .flatMap(([range, seeds]) => seeds.map((seed: number) => `${range.split('-')[0]} ${nameOf(playoffs, seed)}`))
        .sort(),
    );
  });
});

describe('assignGroups', () => {
  it('deals seeds by snake', () => {
    const groups = assignGroups(ids(10), { groups: 4, groupAssignments: [] });
    expect(groups.map(({ participantIds }) => participantIds)).toEqual([
      ['p1', 'p8', 'p9'],
      ['p2', 'p7', 'p10'],
      ['p3', 'p6'],
      ['p4', 'p5'],
    ]);
  });

  it('keeps assignments and fills up around them', () => {
    const groupAssignments = [
      { participantId: 'p1', group: 2 },
      { participantId: 'p2', group: 2 },
    ];
    const groups = assignGroups(ids(6), { groups: 2, groupAssignments });
    expect(groups.map(({ participantIds }) => participantIds)).toEqual([
      ['p3', 'p4', 'p5'],
      ['p1', 'p2', 'p6'],
    ]);
  });
});

describe('knockoutEntries', () => {
  it('crosses winners and runners-up of four groups', () => {
    const lines = [0, 7, 3, 4, 1, 6, 2, 5].map((seed) => text(knockoutEntries(4, 2))[seed]);
    expect(lines).toEqual(['A1', 'B2', 'C1', 'D2', 'B1', 'A2', 'D1', 'C2']);
  });

  it('keeps members of a group apart when four advance from two', () => {
    expect(text(knockoutEntries(2, 4))).toEqual(['A1', 'B1', 'A2', 'B2', 'A3', 'B3', 'A4', 'B4']);
  });

  it.each([
    [3, 2],
    [6, 2],
    [5, 3],
    [4, 3],
    [1, 4],
    [7, 1],
  ])('gives every place of %i groups with %i advancing one seed, and winners the best', (groups, advance) => {
    const entries = text(knockoutEntries(groups, advance));
    expect(new Set(entries).size).toBe(groups * advance);
    expect(entries.slice(0, groups).every((entry) => entry.endsWith('1'))).toBe(true);
  });

  it('works out once what a group costs in a place, however often it is swapped', () => {
    const compared = vi.spyOn(Math, 'clz32');
    try {
      knockoutEntries(64, 4);
      // Each group in each place, with those of its members that have one.
      expect(compared.mock.calls.length).toBeLessThanOrEqual(64 * 64 * (1 + 2 + 3));
    } finally {
      compared.mockRestore();
    }
  });

  it('has no rematch of group mates in the first round', () => {
    for (const [groups, advance] of [
      [3, 2],
      [5, 2],
      [6, 2],
      [4, 3],
      [3, 4],
    ] as const) {
      const options = { groups, advancePerGroup: advance };
      const bracket = playOut(generate('groups_to_knockout', options, ids(groups * 5), 'x'));
      const groupOf = new Map(
        bracket.stages[0]?.groups.flatMap(({ number, participantIds }) => participantIds.map((id) => [id, number])),
      );
      const first = bracket.matches.filter(
        ({ stage, slots }) => stage === 2 && slots.every(({ source }) => source.type === 'group'),
      );
      for (const { slots } of first) {
        const [one, other] = slots.map(({ participantId }) => groupOf.get(participantId ?? ''));
        expect(one).not.toBe(other);
      }
    }
  });
});

describe('gslTree', () => {
  it('counts openers, winners’ and losers’ match, and decider as three rounds', () => {
    expect(gslTree().map(gslRound)).toEqual([1, 1, 2, 2, 3]);
  });
});
