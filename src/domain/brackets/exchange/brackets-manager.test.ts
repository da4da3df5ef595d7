import { BracketsManager } from 'brackets-manager';
import { InMemoryDatabase } from 'brackets-memory-db';
import type { Database } from 'brackets-model';
import { describe, expect, it } from 'vitest';
import { generateCustom } from '@/domain/brackets/draw/custom-tree';
import { generate } from '@/domain/brackets/draw/generate';
import { finalPlaces } from '@/domain/brackets/play/outcomes';
import { apply } from '@/domain/brackets/play/progress';
import { ids, playOut } from '@/domain/brackets/playing.fixture';
import type { Bracket, Match } from '@/domain/brackets/types';
import { type BracketsManagerData, toBracketsManager } from './brackets-manager';

const names = Object.fromEntries(ids(64).map((id) => [id, `Player ${id.slice(1)}`]));

/** Types of the library accept what is written; ids are only opaque there. */
const asDatabase = (data: BracketsManagerData): Database => data as unknown as Database;

async function load(bracket: Bracket) {
  const data = toBracketsManager(bracket, names);
  const manager = new BracketsManager(new InMemoryDatabase());
  await manager.import(asDatabase(structuredClone(data)));
  return { data, manager };
}

/** A pick of winners that is not by seed alone. */
const pick = (match: Match): 0 | 1 => (match.number % 3 === 0 ? 1 : 0);

/** Ids of who meets in the matches that can be played, in any order. */
const openPairs = (bracket: Bracket) =>
  bracket.matches
    .filter(({ status }) => status === 'ready')
    .map(({ slots }) => slots.map(({ participantId }) => Number(participantId?.slice(1)) - 1).join('-'))
    .sort();

describe('toBracketsManager', () => {
  it.each([
    ['single_elimination', 8, {}],
    ['single_elimination', 13, { thirdPlace: true }],
    ['double_elimination', 16, {}],
    ['double_elimination', 32, { grandFinalReset: false }],
  ] as const)('makes a %s of %i that the library ranks as we do', async (format, count, options) => {
    const bracket = playOut(generate(format, options, ids(count), 'x'), pick);
    const { manager } = await load(bracket);
    const places = finalPlaces(bracket);
    const standings = (await manager.get.finalStandings(0)).map(({ id, rank }) => [id, rank]);
    const order = new Map(standings.map(([id, rank]) => [id, rank]));
    // Theirs counts groups of losers without gaps, ours the places.
    const ranks = [...new Set(places.map(({ rank }) => rank))].sort((a, b) => a - b);
    for (const { participantId, rank } of places) {
      expect(order.get(Number(participantId.slice(1)) - 1), participantId).toBe(ranks.indexOf(rank) + 1);
    }
  });

  it.each([
    ['single_elimination', 8],
    ['double_elimination', 8],
    ['double_elimination', 16],
    ['double_elimination', 32],
  ] as const)('makes a %s of %i that the library plays on as we do', async (format, count) => {
    let bracket = generate(format, {}, ids(count), 'x');
    const { manager } = await load(bracket);
    for (;;) {
      const [match] = bracket.matches.filter(({ status }) => status === 'ready');
      // Theirs makes the reset of a grand final ready even where it is not needed.
      if (!match) break;
      const current = (await manager.storage.select('match', { stage_id: 0 })) ?? [];
      const playable = current.filter(({ status }) => status === 2);
      expect(playable.map(({ opponent1, opponent2 }) => `${opponent1?.id}-${opponent2?.id}`).sort()).toEqual(
        openPairs(bracket),
      );
      const [a, b] = match.slots.map(({ participantId }) => Number(participantId?.slice(1)) - 1);
      const theirs = playable.find(({ opponent1, opponent2 }) => opponent1?.id === a && opponent2?.id === b);
      const first = pick(match) === 0;
      await manager.update.match({
        id: theirs?.id ?? '',
        opponent1: { score: first ? 1 : 0, ...(first ? { result: 'win' as const } : {}) },
        opponent2: { score: first ? 0 : 1, ...(first ? {} : { result: 'win' as const }) },
      });
      const winnerId = match.slots[pick(match)].participantId;
      bracket = apply(bracket, { type: 'result', match: match.number, result: { type: 'played', winnerId } }).bracket;
    }
    expect(bracket.matches.every(({ status }) => status === 'completed')).toBe(true);
  });

  it('has the matches between byes that the library expects', async () => {
    const { data } = await load(generate('double_elimination', {}, ids(9), 'x'));
    const perRound = data.round.map(({ id }) => data.match.filter(({ round_id }) => round_id === id).length);
    expect(perRound).toEqual([8, 4, 2, 1, 4, 4, 2, 2, 1, 1, 1, 1]);
    const empty = data.match.filter(({ opponent1, opponent2 }) => opponent1 === null && opponent2 === null);
    expect(empty).toHaveLength(3);
    expect(
      data.match.every(
        ({ status, opponent1, opponent2 }) => status === 0 || (opponent1 !== null && opponent2 !== null),
      ),
    ).toBe(true);
  });

  it('writes the games of a match, and scores of a single one', async () => {
    const start = generate('round_robin', { bestOf: 3 }, ids(3), 'x');
    const [match] = start.matches;
    const played =
      match &&
      apply(start, {
        type: 'result',
        match: match.number,
        result: { type: 'played', games: [{ scores: [13, 7] }, { scores: [16, 14] }] },
      }).bracket;
    const { data, manager } = await load(played ?? start);
    expect(data.match[0]).toMatchObject({
      child_count: 3,
      status: 4,
      opponent1: { score: 2, result: 'win' },
      opponent2: { score: 0, result: 'loss' },
    });
    const games = await manager.get.matchGames([data.match[0]] as never);
    expect(games.map(({ opponent1, opponent2, status }) => [opponent1?.score, opponent2?.score, status])).toEqual([
      [13, 7, 4],
      [16, 14, 4],
      [undefined, undefined, 5],
    ]);
    const one = generate('single_elimination', {}, ids(2), 'x');
    const result = { type: 'played', games: [{ scores: [16, 9] }] } as const;
    const { data: single } = await load(apply(one, { type: 'result', match: 1, result }).bracket);
    expect(single.match[0]).toMatchObject({
      child_count: 0,
      opponent1: { score: 16, result: 'win' },
      opponent2: { score: 9 },
    });
  });

  it('writes groups, GSL groups, Swiss rounds and forfeits', async () => {
    const groups = playOut(generate('groups_to_knockout', { groups: 2, legs: 2 }, ids(8), 'x'));
    const { data, manager } = await load(groups);
    expect(data.stage.map(({ type, name }) => [type, name])).toEqual([
      ['round_robin', 'Group stage'],
      ['single_elimination', 'Playoffs'],
    ]);
    expect((await manager.get.finalStandings(1))[0]?.name).toBe('Player 1');
    const gsl = await load(playOut(generate('groups_to_knockout', { groups: 2, groupFormat: 'gsl' }, ids(8), 'x')));
    expect(gsl.data.stage.map(({ name }) => name)).toEqual(['Group A', 'Group B', 'Playoffs']);
    expect((await gsl.manager.get.finalStandings(0)).map(({ name }) => name).slice(0, 2)).toEqual([
      'Player 1',
      'Player 4',
    ]);
    const swiss = await load(playOut(generate('swiss', { rounds: 3 }, ids(5), 'x')));
    expect(swiss.data.round).toHaveLength(3);
    const start = generate('single_elimination', {}, ids(2), 'x');
    const forfeited = apply(start, {
      type: 'result',
      match: 1,
      result: { type: 'forfeit', participantIds: ['p1'] },
    }).bracket;
    expect((await load(forfeited)).data.match[0]).toMatchObject({
      opponent1: { forfeit: true },
      opponent2: { result: 'win' },
    });
  });

  it('refuses a tree that was given as edges', () => {
    const tree = generateCustom([{ key: 'F', slots: [{ seed: 1 }, { seed: 2 }] }], {}, ids(2), 'x');
    expect(() => toBracketsManager(tree, names)).toThrow(expect.objectContaining({ code: 'INVALID_TREE' }));
  });
});
