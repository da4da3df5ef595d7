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

  it('begins with the stream, what comes next on it, and who is called to play', () => {
    const data = bracketData(drawn('single_elimination', 8));
    const [one, two, three] = data.stages[0]?.rounds[0]?.matches ?? [];
    if (!one || !two || !three) throw new Error('no matches');
    const at = { calledAt: '2026-12-05T18:30:00.000Z', showUpBy: '2026-12-05T18:40:00.000Z' };
    Object.assign(one, at, { stationId: 'stage', station: 'Stage', streamUrl: 'https://stream.example.com' });
    Object.assign(two, { streamPosition: 2 });
    Object.assign(three, { streamPosition: 1 });
    const [stream, called] = panelsOf(data).map((panel) => ({
      title: panel.title,
      numbers: panel.kind === 'matches' ? panel.matches.map(({ match }) => match.number) : [],
    }));
    expect(stream).toEqual({ title: 'On stream', numbers: [one.number, three.number, two.number] });
    expect(called).toEqual({ title: 'Called to play', numbers: [one.number] });
  });

  it('shows the bracket and the results at the end', () => {
    const panels = panelsOf(bracketData(playOut(drawn('double_elimination', 8))));
    expect(panels.map(({ title }) => title)).toEqual(['Bracket', 'Results']);
  });
});
