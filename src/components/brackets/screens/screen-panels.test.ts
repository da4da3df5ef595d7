import { describe, expect, it } from 'vitest';
import { bracketData, drawn } from '@/components/brackets/bracket-data.fixture';
import { panelsOf } from '@/components/brackets/screens/screen-panels';
import { playOut } from '@/domain/brackets/playing.fixture';

const titles = (...args: Parameters<typeof drawn>) => panelsOf(bracketData(drawn(...args))).map(({ title }) => title);

describe('panelsOf', () => {
  it('shows what comes next and the bracket at the start', () => {
    expect(titles('single_elimination', 8)).toEqual(['Up next', 'Bracket']);
  });

  it('shows a table for each group', () => {
    expect(titles('groups_to_knockout', 8, { groups: 2 })).toEqual(['Up next', 'Group A', 'Group B', 'Playoffs']);
  });

  it('shows the bracket and the results at the end', () => {
    const panels = panelsOf(bracketData(playOut(drawn('double_elimination', 8))));
    expect(panels.map(({ title }) => title)).toEqual(['Bracket', 'Results']);
  });
});
