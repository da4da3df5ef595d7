import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import austin from '@/domain/brackets/fixtures/cs2-austin-2025-stage2.json';
import budapest from '@/domain/brackets/fixtures/cs2-budapest-2025-stage1.json';
import cologne from '@/domain/brackets/fixtures/cs2-cologne-2026-stage1.json';
import { finalPlaces, isComplete } from '@/domain/brackets/play/outcomes';
import { apply } from '@/domain/brackets/play/progress';
import { standings } from '@/domain/brackets/tables/standings';
import type { Bracket } from '@/domain/brackets/types';
import { type MajorPlayer, pairMajorRound } from './major-pairing';

interface MajorStage {
  readonly teams: readonly { readonly seed: number; readonly name: string }[];
  readonly rounds: readonly (readonly { readonly seeds: readonly number[]; readonly winner: number }[])[];
}

const options = { winsToAdvance: 3, lossesToEliminate: 3 };
const idOf = (seed: number) => `team-${seed}`;
const pairKey = (seeds: readonly (number | null)[]) => seeds.toSorted((a, b) => (a ?? 0) - (b ?? 0)).join('v');

/** Feeds the real winners and checks that every round is drawn as it was. */
function replay(stage: MajorStage): Bracket {
  let bracket = generate(
    'swiss',
    options,
    stage.teams.map(({ seed }) => idOf(seed)),
    'replay',
  );
  for (const [at, round] of stage.rounds.entries()) {
    const drawn = bracket.matches.filter((match) => match.round === at + 1);
    expect(drawn.map(({ slots }) => pairKey(slots.map(({ seed }) => seed))).sort()).toEqual(
      round.map(({ seeds }) => pairKey(seeds)).sort(),
    );
    const winners = new Map(round.map(({ seeds, winner }) => [pairKey(seeds), winner]));
    for (const match of drawn) {
      const winner = winners.get(pairKey(match.slots.map(({ seed }) => seed))) ?? 0;
      const result = { type: 'played', winnerId: idOf(winner) } as const;
      bracket = apply(bracket, { type: 'result', match: match.number, result }).bracket;
    }
  }
  return bracket;
}

describe('pairMajorRound', () => {
  it.each([
    ['Austin 2025, stage 2', austin],
    ['Budapest 2025, stage 1', budapest],
    ['Cologne 2026, stage 1', cologne],
  ])('draws %s as it was drawn', (_, stage) => {
    const bracket = replay(stage);
    expect(bracket.matches).toHaveLength(33);
    expect(isComplete(bracket)).toBe(true);
    expect(finalPlaces(bracket)).toHaveLength(16);
  });

  it.each([
    ['Austin', austin],
    ['Cologne', cologne],
  ])('ranks %s by record, difficulty and initial seed', (_, stage) => {
    const rows = standings(replay(stage)).stages[0]?.groups[0]?.rows ?? [];
    expect(
      rows.map(({ rank, seed, wins, losses, tiebreakers }) => {
        return { rank, seed, wins, losses, difficulty: tiebreakers.difficulty };
      }),
    ).toEqual(stage.standings);
    expect(rows.map(({ outcome }) => outcome)).toEqual([...Array(8).fill('advanced'), ...Array(8).fill('eliminated')]);
  });

  it('sends the real eight of Budapest on', () => {
    const rows = standings(replay(budapest)).stages[0]?.groups[0]?.rows ?? [];
    const names = new Map(budapest.teams.map(({ seed, name }) => [seed, name]));
    const advanced = rows.filter(({ outcome }) => outcome === 'advanced').map(({ seed }) => names.get(seed));
    expect(advanced.sort()).toEqual(budapest.qualified.toSorted());
  });

  const player = (seed: number, met: readonly number[] = []): MajorPlayer => ({
    participantId: idOf(seed),
    points: 0,
    seed,
    wins: 2,
    losses: 1,
    hadBye: false,
    met: new Set(met.map(idOf)),
  });

  it('takes the first row of six without a rematch', () => {
    const pool = [player(1, [6]), player(2), player(3), player(4), player(5), player(6, [1])];
    expect(pairMajorRound(pool, 4)?.pairs).toEqual([
      ['team-1', 'team-5'],
      ['team-2', 'team-6'],
      ['team-3', 'team-4'],
    ]);
  });

  it('repeats as few matches as possible when a record leaves no choice', () => {
    const pool = [player(1, [2]), player(2, [1])];
    expect(pairMajorRound(pool, 3)).toEqual({ pairs: [['team-1', 'team-2']], bye: null, rematches: 1 });
  });

  it('lets one team meet the next record where a record is odd, and gives an odd field one bye', () => {
    const upper = [1, 2, 3].map((seed) => ({ ...player(seed), wins: 1, losses: 0 }));
    const lower = [4, 5, 6, 7].map((seed) => ({ ...player(seed), wins: 0, losses: 1 }));
    const round = pairMajorRound([...upper, ...lower], 2);
    expect(round?.bye).toBe('team-7');
    expect(round?.pairs).toEqual([
      ['team-1', 'team-2'],
      ['team-3', 'team-6'],
      ['team-4', 'team-5'],
    ]);
  });

  it('tries no more choices for a large odd pool whose middle has met than for a small one', () => {
    let looks = 0;
    class Met extends Set<string> {
      override has(id: string) {
        looks += 1;
        return super.has(id);
      }
    }
    const ids = Array.from({ length: 101 }, (_, at) => at + 1);
    const middle = ids.slice(44, 57);
    const pool = ids.map((seed) => {
      const met = new Met(middle.includes(seed) ? middle.filter((one) => one !== seed).map(idOf) : []);
      return { ...player(seed), met };
    });
    expect(pairMajorRound([...pool, { ...player(102), losses: 2 }], 20)).toMatchObject({ rematches: 0 });
    expect(looks).toBeLessThan(1_000_000);
  });

  it('takes another floater where the lowest has met everyone of the next record', () => {
    const upper = [player(1), player(2), player(3, [4])];
    const lower = { ...player(4, [3]), losses: 2 };
    expect(pairMajorRound([...upper, lower], 2)).toEqual({
      pairs: [
        ['team-1', 'team-3'],
        ['team-2', 'team-4'],
      ],
      bye: null,
      rematches: 0,
    });
  });

  it('repeats no more matches than the best of all pairings with as few pairs of unequal records', () => {
    fc.assert(
      fc.property(field, fc.constantFrom(2, 4), (players, round) => {
        const drawn = pairMajorRound(players, round);
        const rest = players.filter(({ participantId }) => participantId !== drawn?.bye);
        const byId = new Map(rest.map((one) => [one.participantId, one]));
        const pairs = drawn?.pairs.map((pair) => pair.flatMap((id) => byId.get(id) ?? [])) ?? [];
        expect(new Set(drawn?.pairs.flat())).toEqual(new Set(byId.keys()));
        expect(crossings(pairs)).toEqual(fewestCrossings(rest));
        expect(drawn?.rematches).toBe(fewestRematches(rest, fewestCrossings(rest)));
      }),
      { numRuns: 1000 },
    );
  });

  /** Small fields of up to four records, in ranking order. */
  const field = fc.integer({ min: 2, max: 12 }).chain((count) => {
    const records = fc.array(fc.nat(3), { minLength: count, maxLength: count });
    const meetings = fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: count * 5 });
    return fc.tuple(records, meetings).map(([losses, met]) =>
      losses
        .toSorted((a, b) => a - b)
        .map((lost, at) => {
          const others = met.flatMap(([a, b]) => (a === b ? [] : a === at ? [b + 1] : b === at ? [a + 1] : []));
          return { ...player(at + 1, others), wins: 3 - lost, losses: lost };
        }),
    );
  });

  it('does not try every floater of hundreds where rematches cannot be avoided', () => {
    let looks = 0;
    class Met extends Set<string> {
      override has(id: string) {
        looks += 1;
        return super.has(id);
      }
    }
    const recordOf = (seed: number) => (seed <= 255 ? 0 : seed <= 511 ? 1 : seed <= 767 ? 2 : 3);
    const ids = Array.from({ length: 1022 }, (_, at) => at + 1);
    // Of the last record, everyone has met everyone in it and in the record before.
    const met = ids.filter((seed) => recordOf(seed) >= 2).map(idOf);
    const players = ids.map((seed) => {
      const others =
        recordOf(seed) === 3 ? met.filter((id) => id !== idOf(seed)) : recordOf(seed) === 2 ? met.slice(256) : [];
      return { ...player(seed), losses: recordOf(seed), met: new Met(others) };
    });
    looks = 0;
    expect(pairMajorRound(players, 30)).toMatchObject({ rematches: 128 });
    expect(looks).toBeLessThan(2_000_000);
  });

  it('has no legal pairing when everyone in an odd field has had a bye', () => {
    const pool = [1, 2, 3].map((seed) => ({ ...player(seed), hadBye: true }));
    expect(pairMajorRound(pool, 4)).toBeNull();
  });
});

/** How many pairs reach across the end of each record: of those that have lost at most 0, 1 and 2 to the rest. */
function crossings(pairs: readonly (readonly MajorPlayer[])[]): number[] {
  return [0, 1, 2].map(
    (end) => pairs.filter((pair) => new Set(pair.map(({ losses }) => losses > end)).size === 2).length,
  );
}

/** Exactly one where the records before have an odd number together. */
const fewestCrossings = (players: readonly MajorPlayer[]) =>
  [0, 1, 2].map((end) => players.filter(({ losses }) => losses <= end).length % 2);

/** By trying every pairing that crosses the ends of records at most that often. */
function fewestRematches([first, ...rest]: readonly MajorPlayer[], allowed: readonly number[]): number {
  if (!first) return 0;
  const costs = rest.map((other) => {
    const crossed = crossings([[first, other]]);
    const left = allowed.map((count, end) => count - (crossed[end] ?? 0));
    if (left.some((count) => count < 0)) return Number.POSITIVE_INFINITY;
    const again = first.met.has(other.participantId) ? 1 : 0;
    return (
      again +
      fewestRematches(
        rest.filter((one) => one !== other),
        left,
      )
    );
  });
  return Math.min(...costs);
}
