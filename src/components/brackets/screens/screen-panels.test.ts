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

  it('keeps a match that is only reported where it was, and shows one that staff started as live', () => {
    const data = bracketData(drawn('single_elimination', 8));
    const [one, two] = data.stages[0]?.rounds[0]?.matches ?? [];
    if (!one || !two) throw new Error('no matches');
    const at = '2026-12-05T18:30:00.000Z';
    const report = { by: 'p1', games: [], winnerId: 'p1', reportedAt: at, confirmBy: at };
    Object.assign(one, { status: 'in_progress', report, streamPosition: 1, showUpBy: at });
    Object.assign(two, { status: 'in_progress', startedAt: at });
    const shown = panelsOf(data).flatMap((panel) =>
      panel.kind === 'matches' ? [[panel.title, ...panel.matches.map(({ match }) => match.number)]] : [],
    );
    expect(shown).toEqual([
      ['Next on stream', 1],
      ['Called to play', 1],
      ['Live now', 2],
      ['Up next', 1, 3, 4],
    ]);
  });

  it('shows the bracket and the results at the end', () => {
    const panels = panelsOf(bracketData(playOut(drawn('double_elimination', 8))));
    expect(panels.map(({ title }) => title)).toEqual(['Bracket', 'Results']);
  });
});
