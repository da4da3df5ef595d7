import { describe, expect, it } from 'vitest';
import { bracketData, drawn } from '@/components/brackets/bracket-data.fixture';
import { explainRank, formatTieBreak, tieBreak } from '@/components/brackets/tables/tie-break-words';
import type { StandingsRow } from '@/components/brackets/types';
import { playOut } from '@/domain/brackets/playing.fixture';
import { TIEBREAKERS } from '@/domain/brackets/types';

const row = (name: string, values: Partial<StandingsRow>): StandingsRow => ({
  ...{ rank: 1, participantId: name, name, seed: 1, played: 3, wins: 2, draws: 0, losses: 1 },
  ...{ gamesWon: 4, gamesLost: 3, points: 6, tiebreakers: {}, outcome: null, ...values },
});

describe('explainRank', () => {
  const keys = ['points', 'head_to_head', 'buchholz', 'seed'];

  it('names the first tie-break that differs, with both values', () => {
    const ana = row('Ana', { tiebreakers: { points: 6, head_to_head: null, buchholz: 12 } });
    const ben = row('Ben', { tiebreakers: { points: 6, head_to_head: null, buchholz: 10 } });
    expect(explainRank(ana, ben, keys)).toBe('Ahead of Ben on Buchholz, 12 to 10.');
  });

  it('explains nothing when points decide, before the first match, and on the last row', () => {
    expect(explainRank(row('Ana', { points: 7 }), row('Ben', {}), keys)).toBeNull();
    expect(explainRank(row('Ana', { played: 0 }), row('Ben', { played: 0 }), keys)).toBeNull();
    expect(explainRank(row('Ana', {}), undefined, keys)).toBeNull();
  });

  it('falls back on the seed', () => {
    expect(explainRank(row('Ana', { seed: 2 }), row('Ben', { seed: 5 }), ['points'])).toBe(
      'Ahead of Ben as the better seed, 2 to 5.',
    );
  });

  it('explains every tie of a played Swiss stage', () => {
    const table = bracketData(playOut(drawn('swiss', 16))).stages[0]?.standings;
    const rows = table?.groups[0]?.rows ?? [];
    expect(rows).toHaveLength(16);
    for (const [index, one] of rows.entries()) {
      const next = rows[index + 1];
      if (next && next.points === one.points) expect(explainRank(one, next, table?.tiebreakers ?? [])).not.toBeNull();
    }
  });
});

describe('formatTieBreak', () => {
  it('writes differences with their sign and percentages with one digit', () => {
    expect(formatTieBreak('game_difference', 3)).toBe('+3');
    expect(formatTieBreak('game_difference', -1)).toBe('-1');
    expect(formatTieBreak('opponent_match_win_percentage', 0.33)).toBe('33.0%');
    expect(formatTieBreak('sonneborn_berger', 7.5)).toBe('7.5');
    expect(formatTieBreak('head_to_head', null)).toBe('–');
  });
});

describe('tieBreak', () => {
  it('has words for every tie-break', () => {
    for (const key of TIEBREAKERS) expect(tieBreak(key).sentence.length).toBeGreaterThan(10);
  });
});
