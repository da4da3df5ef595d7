import { generate } from '@/domain/brackets/draw/generate';
import { findMatch } from '@/domain/brackets/play/progress';
import { bySeed, ids, reportWinner } from '@/domain/brackets/playing.fixture';
import type { Bracket, Format } from '@/domain/brackets/types';
import { inTurn } from './latency';
import type { Result } from './run';

const sizes: [Format, number[]][] = [
  ['single_elimination', [16, 256]],
  ['double_elimination', [16, 256]],
  ['round_robin', [16]],
  ['groups_to_knockout', [16, 256]],
  ['swiss', [16, 256, 1024]],
];

/** Limits, in ms. */
const limits: Record<string, number> = { 'double_elimination 256': 20, 'swiss 1024': 300 };

const draw = (format: Format, count: number) => generate(format, {}, ids(count), 'seed');

/** Plays a draw until one more result ends its round `round`. @returns the draw and the match that is left */
function beforeRoundEnds(start: Bracket, round: number): { bracket: Bracket; last: number } {
  let bracket = start;
  for (;;) {
    const open = bracket.matches.filter((match) => match.status === 'ready' && match.round <= round);
    for (const match of open.slice(0, -1))
      bracket = reportWinner(bracket, match, match.slots[bySeed(match)].participantId);
    const last = open.at(-1);
    if (!last) throw new Error(`round ${round} has no open match`);
    if (last.round === round) return { bracket, last: last.number };
    bracket = reportWinner(bracket, last, last.slots[bySeed(last)].participantId);
  }
}

/** Nothing that returns a draw is faster than copying one, so that is the floor. */
async function compare(name: string, rounds: number, ours: () => Bracket, limitMs?: number): Promise<Result> {
  const text = JSON.stringify(ours());
  const times = await inTurn(rounds, ours, () => JSON.parse(text));
  const [p50, floor] = [times.ours.p50, times.floor.p50];
  const aim = limitMs === undefined ? '' : `${limitMs} ms`;
  return { name, ours: p50, floor, unit: 'ms (p50)', ratio: floor / p50, aim };
}

/** Drawing each format, applying a result, and drawing a late Swiss round; the bracket engine alone, without a database. */
export async function run(): Promise<Result[]> {
  const results: Result[] = [];
  for (const [format, counts] of sizes) {
    for (const count of counts) {
      const name = `${format} ${count}`;
      results.push(await compare(`draw ${name}`, count > 256 ? 5 : 40, () => draw(format, count), limits[name]));
    }
  }
  for (const [format, count] of [
    ['single_elimination', 256],
    ['double_elimination', 256],
    ['swiss', 256],
  ] as const) {
    const start = draw(format, count);
    const first = start.matches.find(({ status }) => status === 'ready');
    if (!first) throw new Error('nothing to play');
    const result = () => reportWinner(start, first, first.slots[0].participantId);
    results.push(await compare(`apply a result ${format} ${count}`, 40, result));
  }
  const { bracket, last } = beforeRoundEnds(draw('swiss', 1024), 3);
  const match = findMatch(bracket, last);
  const end = () => reportWinner(bracket, match, match.slots[0].participantId);
  results.push(await compare('end round 3 and draw round 4, swiss 1024', 5, end, limits['swiss 1024']));
  return results;
}
