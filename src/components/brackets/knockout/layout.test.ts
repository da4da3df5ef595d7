import { describe, expect, it } from 'vitest';
import { bracketData, drawn } from '@/components/brackets/bracket-data.fixture';
import {
  type BracketLayout,
  cardWidth,
  type Folded,
  finishedRounds,
  layoutKnockout,
  pathOf,
} from '@/components/brackets/knockout/layout';
import type { BracketStage } from '@/components/brackets/types';
import { apply } from '@/domain/brackets/play/progress';
import { playOut } from '@/domain/brackets/playing.fixture';
import type { Bracket, Format, FormatOptions } from '@/domain/brackets/types';

function stageOf(bracket: Bracket): BracketStage {
  const stage = bracketData(bracket).stages[0];
  if (!stage) throw new Error('no stage');
  return stage;
}

/** Everything that makes a drawing wrong, as sentences. */
function flaws(stage: BracketStage, layout: BracketLayout): string[] {
  const found: string[] = [];
  const boxes = layout.columns.flatMap((column) =>
    column.matches.map(({ match, y }) => ({ number: match.number, x: column.x, y })),
  );
  boxes.sort((a, b) => a.x - b.x || a.y - b.y);
  for (const [index, box] of boxes.entries()) {
    const after = boxes[index + 1];
    if (after && after.x - box.x < cardWidth && Math.abs(after.y - box.y) < 1) {
      found.push(`M${box.number} covers M${after.number}`);
    }
    if (box.x < 0 || box.x + cardWidth > layout.width + 1e-9) found.push(`M${box.number} is outside to the side`);
    if (box.y < 0 || box.y + 1 > layout.height + 1e-9) found.push(`M${box.number} is outside below`);
  }
  const at = new Map(boxes.map((box) => [box.number, box]));
  const expected = stage.rounds
    .flatMap(({ matches }) => matches)
    .filter(({ number, winnerTo }) => at.has(number) && winnerTo && at.has(winnerTo.match));
  const drawnLines = new Set(layout.lines.map(({ from, to }) => `${from}>${to}`));
  for (const { number, winnerTo } of expected) {
    if (!drawnLines.delete(`${number}>${winnerTo?.match}`)) found.push(`no line from M${number}`);
  }
  for (const rest of drawnLines) found.push(`a line too many: ${rest}`);
  for (const { from, to, points } of layout.lines) {
    const [start, end] = [points[0], points.at(-1)];
    const [source, target] = [at.get(from), at.get(to)];
    if (start?.[0] !== (source?.x ?? 0) + cardWidth || start[1] !== (source?.y ?? 0) + 0.5)
      found.push(`M${from}: start`);
    if (end?.[0] !== target?.x || end?.[1] !== (target?.y ?? 0) + 0.5) found.push(`M${from}: end`);
    for (const [x, y] of points.slice(1, -1)) {
      const covered = boxes.find((box) => x > box.x && x < box.x + cardWidth && y > box.y && y < box.y + 1);
      if (covered) found.push(`the line from M${from} runs through M${covered.number}`);
    }
  }
  return found;
}

function check(format: Format, count: number, options: FormatOptions = {}, folded: Folded = {}) {
  const stage = stageOf(drawn(format, count, options));
  return flaws(stage, layoutKnockout(stage, folded));
}

const counts = [2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 48, 64, 65, 100, 128, 129, 200, 256];

describe('layoutKnockout', () => {
  it.each(counts)('places single elimination of %i without overlaps', (count) => {
    expect(check('single_elimination', count, { thirdPlace: count >= 4 })).toEqual([]);
  });

  it.each(counts)('places double elimination of %i without overlaps', (count) => {
    expect(check('double_elimination', count)).toEqual([]);
  });

  it('keeps the lines right with folded rounds', () => {
    for (const fold of [1, 2, 3, 5, 9]) {
      expect(check('double_elimination', 64, {}, { tree: fold, losers: fold * 2 })).toEqual([]);
      expect(check('single_elimination', 40, {}, { tree: fold })).toEqual([]);
    }
  });

  it('shows every match of an open bracket except the reset', () => {
    const stage = stageOf(drawn('double_elimination', 64));
    const layout = layoutKnockout(stage);
    const shown = layout.columns.flatMap(({ matches }) => matches.map(({ match }) => match.number));
    expect(shown).toHaveLength(126);
    expect(new Set(shown).size).toBe(126);
  });

  it('shows the reset once it has to be played', () => {
    const start = drawn('double_elimination', 4);
    let bracket = start;
    for (let match = next(bracket); match; match = next(bracket)) {
      // The favorite loses the grand final, so a second one decides.
      const loses = match.bracket === 'final' && match.round === 1;
      if (match.bracket === 'final' && match.round === 2) break;
      const winner = [...match.slots].sort((a, b) => (a.seed ?? 0) - (b.seed ?? 0))[loses ? 1 : 0];
      const result = { type: 'played', winnerId: winner?.participantId ?? null } as const;
      bracket = apply(bracket, { type: 'result', match: match.number, result }).bracket;
    }
    const stage = stageOf(bracket);
    const layout = layoutKnockout(stage);
    expect(layout.columns.map(({ round }) => round.name)).toContain('Grand final reset');
    expect(flaws(stage, layout)).toEqual([]);
  });

  it('places the third-place match below the final', () => {
    const layout = layoutKnockout(stageOf(drawn('single_elimination', 8, { thirdPlace: true })));
    const [final, third] = ['Final', 'Third-place match'].map((name) =>
      layout.columns.find(({ round }) => round.name === name),
    );
    expect(third?.x).toBe(final?.x);
    expect(third?.matches[0]?.y).toBeGreaterThan(final?.matches[0]?.y ?? 0);
  });
});

const next = (bracket: Bracket) => bracket.matches.find(({ status }) => status === 'ready');

describe('finishedRounds', () => {
  it('folds nothing at the start and all but the last round as they finish', () => {
    const start = drawn('single_elimination', 8);
    expect(finishedRounds(stageOf(start))).toEqual({ tree: 0 });
    let bracket = start;
    for (let number = 1; number <= 4; number++) {
      const winnerId = bracket.matches[number - 1]?.slots[0].participantId ?? null;
      bracket = apply(bracket, { type: 'result', match: number, result: { type: 'played', winnerId } }).bracket;
    }
    expect(finishedRounds(stageOf(bracket))).toEqual({ tree: 1 });
  });

  it('leaves a finished bracket open', () => {
    expect(finishedRounds(stageOf(playOut(drawn('single_elimination', 8))))).toEqual({ tree: 0 });
  });
});

describe('pathOf', () => {
  it('follows a participant through both brackets', () => {
    const stage = stageOf(playOut(drawn('double_elimination', 8)));
    // Seed 2 loses the winners’ final, wins the losers’ final and loses the grand final.
    expect(pathOf(stage, 'p2').size).toBe(5);
    expect(pathOf(stage, 'p1').size).toBe(4);
  });
});
