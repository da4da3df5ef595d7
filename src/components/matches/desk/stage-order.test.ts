import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bracketData, drawn } from '@/components/brackets/bracket-data.fixture';
import { apply } from '@/domain/brackets/play/progress';
import { playOut, reportWinner } from '@/domain/brackets/playing.fixture';
import type { Bracket, KnockoutFormat } from '@/domain/brackets/types';
import { firstMatches, seedableStage } from './stage-order';

/** Plays the open matches of the first stage until all or all but one are decided. */
function playGroups(start: Bracket, { leave = 0 } = {}): Bracket {
  let bracket = start;
  for (;;) {
    const open = bracket.matches.filter(({ stage, status }) => stage === 1 && status === 'ready');
    const [match] = open;
    if (!match || open.length <= leave) return bracket;
    bracket = reportWinner(bracket, match, match.slots[0].participantId);
  }
}

const seedable = (bracket: Bracket) => seedableStage(bracketData(bracket));
const openingOf = (bracket: Bracket) =>
  bracketData(bracket).stages[1]?.rounds[0]?.matches.map(({ slots }) =>
    slots.map(({ participantId }) => participantId),
  );

const cups = fc.record({
  groups: fc.integer({ min: 2, max: 6 }),
  perGroup: fc.integer({ min: 2, max: 4 }),
  knockoutFormat: fc.constantFrom<KnockoutFormat>('single_elimination', 'double_elimination'),
});

test('an order shown is what a stage has, and an order saved opens as it said', () => {
  fc.assert(
    fc.property(cups, fc.func(fc.nat()), ({ groups, perGroup, knockoutFormat }, weight) => {
      const start = drawn('groups_to_knockout', groups * perGroup, { groups, knockoutFormat, advancePerGroup: 2 });
      const bracket = playGroups(start);
      const offered = seedable(bracket);
      const shown = offered?.order.map(({ id }) => id) ?? [];
      expect(shown).toHaveLength(groups * 2);
      expect(firstMatches(shown, offered?.size ?? 0)).toEqual(openingOf(bracket));
      const order = shown.toSorted((a, b) => weight(a) - weight(b));
      const after = apply(bracket, { type: 'reseed', stage: 2, participantIds: order }).bracket;
      expect(openingOf(after)).toEqual(firstMatches(order, offered?.size ?? 0));
      expect(seedable(after)?.order.map(({ id }) => id)).toEqual(order);
    }),
    { numRuns: 60 },
  );
});

test('nothing is offered before everyone is known, after someone has played, or without a second stage', () => {
  const start = drawn('groups_to_knockout', 8, { groups: 2 });
  expect(seedable(start)).toBeNull();
  expect(seedable(playGroups(start, { leave: 1 }))).toBeNull();
  const ready = playGroups(start);
  expect(seedable(ready)).not.toBeNull();
  const [match] = ready.matches.filter(({ status }) => status === 'ready');
  if (!match) throw new Error('nobody plays');
  expect(seedable(reportWinner(ready, match, match.slots[0].participantId))).toBeNull();
  expect(seedable(playOut(ready))).toBeNull();
  expect(seedable(drawn('single_elimination', 8))).toBeNull();
});
