import { expect, test } from 'vitest';
import { bracketData } from '@/components/brackets/bracket-data.fixture';
import { generate } from '@/domain/brackets/draw/generate';
import { apply } from '@/domain/brackets/play/progress';
import { ids, reportWinner } from '@/domain/brackets/playing.fixture';
import { explainRank } from './tie-break-words';
import { openingOrders } from './tie-orders';

/** Three who beat each other in a circle. */
function circle() {
  let bracket = generate('round_robin', {}, ids(3), 'x');
  for (const match of bracket.matches) {
    const [a, b] = match.slots;
    const wins = ((b.seed ?? 0) - (a.seed ?? 0) + 3) % 3 === 1;
    bracket = reportWinner(bracket, match, wins ? a.participantId : b.participantId);
  }
  return bracket;
}

const tableOf = (bracket: ReturnType<typeof circle>) => {
  const table = bracketData(bracket).stages[0]?.standings;
  const group = table?.groups[0];
  if (!table || !group) throw new Error('no table');
  return { ...group, tiebreakers: table.tiebreakers };
};

test('a decision starts from the table as it is', () => {
  expect(openingOrders(tableOf(circle()))).toEqual([['p1', 'p2', 'p3']]);
  const ruling = { order: ['p3', 'p1', 'p2'], reason: 'By lot' };
  const ruled = tableOf(apply(circle(), { type: 'rule_tie', stage: 1, group: 1, ruling }).bracket);
  expect(openingOrders(ruled)).toEqual([['p3', 'p1', 'p2']]);
});

test('a row that staff put first says so', () => {
  const ruling = { order: ['p3', 'p1', 'p2'], reason: 'By lot' };
  const {
    rows,
    tiebreakers,
    ruling: ruled,
  } = tableOf(apply(circle(), { type: 'rule_tie', stage: 1, group: 1, ruling }).bracket);
  const [first, second] = rows;
  if (!first) throw new Error('no rows');
  expect(explainRank(first, second, tiebreakers, ruled?.ties)).toMatch(/^Ahead of .+ by decision of staff\.$/);
  const apart = [['p3', 'p2'], ['p1']];
  expect(explainRank(first, second, tiebreakers, apart), 'named in different ties').not.toMatch(/staff/);
  expect(explainRank(first, second, tiebreakers)).not.toMatch(/staff/);
});
