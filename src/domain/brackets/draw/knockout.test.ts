import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finalPlaces, isComplete } from '@/domain/brackets/play/outcomes';
import { ids, playOut } from '@/domain/brackets/playing.fixture';
import type { Bracket, Match } from '@/domain/brackets/types';
import { generate } from './generate';

/** How often each participant lost a match that was played. */
function lossesOf(bracket: Bracket): Map<string, number> {
  const losses = new Map(bracket.participants.map(({ participantId }) => [participantId, 0]));
  for (const { slots } of bracket.matches) {
    for (const { participantId, result } of slots) {
      if (participantId !== null && result === 'loss') losses.set(participantId, (losses.get(participantId) ?? 0) + 1);
    }
  }
  return losses;
}

describe('knockoutMatches for 2 to 256', () => {
  const count = fc.oneof(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 2, max: 256 }));
  const anyWinner = (salt: number) => (match: Match) => ((match.number * 7919 + salt) % 3 === 0 ? 1 : 0) as 0 | 1;

  it('fills every slot once and gives the byes to the top seeds', () => {
    fc.assert(
      fc.property(count, fc.constantFrom('single_elimination', 'double_elimination'), (n, format) => {
        const { matches } = generate(format, {}, ids(n), 'x');
        const size = 2 ** Math.ceil(Math.log2(n));
        const first = matches
          .filter(({ round, bracket }) => round === 1 && (bracket === 'winners' || n === 2))
          .slice(0, size / 2);
        const seeds = first.flatMap(({ slots }) => slots.flatMap(({ seed }) => seed ?? []));
        expect(seeds.sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, at) => at + 1));
        const byes = first
          .filter(({ decidedBy }) => decidedBy === 'bye')
          .map(({ slots }) => slots[0].seed ?? slots[1].seed);
        expect(byes.sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(Array.from({ length: size - n }, (_, at) => at + 1));
        const targets = matches.flatMap(({ winnerTo, loserTo }) => [winnerTo, loserTo].filter((to) => to !== null));
        const places = targets.map(({ match, slot }) => `${match}/${slot}`);
        expect(new Set(places).size).toBe(places.length);
        const fed = matches.flatMap(({ number, slots }) =>
          slots.flatMap(({ source }, at) => {
            const origin = source.type === 'bye' ? source.of : source;
            return origin?.type === 'winner' || origin?.type === 'loser' ? [`${number}/${at}`] : [];
          }),
        );
        expect(fed.sort()).toEqual(places.sort());
      }),
      { numRuns: 60 },
    );
  });

  it('lets everyone but the champion lose once, or twice in double elimination', () => {
    fc.assert(
      fc.property(count, fc.nat(), fc.constantFrom('single_elimination', 'double_elimination'), (n, salt, format) => {
        const bracket = playOut(generate(format, {}, ids(n), 'x'), anyWinner(salt));
        expect(isComplete(bracket)).toBe(true);
        const places = finalPlaces(bracket);
        expect(places).toHaveLength(n);
        const champion = places[0]?.participantId;
        const most = format === 'single_elimination' ? 1 : 2;
        for (const [id, losses] of lossesOf(bracket)) {
          if (id === champion) expect(losses).toBeLessThan(most);
          else expect(losses).toBe(most);
        }
        const played = bracket.matches.filter(({ decidedBy }) => decidedBy === 'result').length;
        const total = [...lossesOf(bracket).values()].reduce((sum, losses) => sum + losses, 0);
        expect(played).toBe(total);
        for (const { rank } of places) {
          expect(rank).toBeLessThanOrEqual(places.filter((place) => place.rank < rank).length + 1);
        }
      }),
      { numRuns: 25 },
    );
  });
});
