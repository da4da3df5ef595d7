import type { StandingsRow } from '@/components/brackets/types';
import { describeTiebreaker } from '@/domain/brackets/tables/tiebreakers';
import { TIEBREAKERS, type TiebreakerName } from '@/domain/brackets/types';

const labels: Record<TiebreakerName, { name: string; short: string }> = {
  points: { name: 'points', short: 'Pts' },
  wins: { name: 'match wins', short: 'Wins' },
  head_to_head: { name: 'head-to-head', short: 'H2H' },
  game_difference: { name: 'game difference', short: 'Games ±' },
  games_won: { name: 'games won', short: 'Games' },
  score_difference: { name: 'score difference', short: 'Score ±' },
  scores_for: { name: 'score', short: 'Score' },
  rounds_played: { name: 'rounds played', short: 'Rounds' },
  buchholz: { name: 'Buchholz', short: 'BH' },
  median_buchholz: { name: 'median Buchholz', short: 'MBH' },
  sonneborn_berger: { name: 'Sonneborn–Berger', short: 'SB' },
  opponent_match_win_percentage: { name: 'opponents’ match-win percentage', short: 'OMW%' },
  game_win_percentage: { name: 'game-win percentage', short: 'GW%' },
  opponent_game_win_percentage: { name: 'opponents’ game-win percentage', short: 'OGW%' },
  difficulty: { name: 'difficulty', short: 'Diff.' },
  seed: { name: 'seed', short: 'Seed' },
  random: { name: 'a random draw', short: 'Draw' },
};

function isTiebreaker(name: string): name is TiebreakerName {
  return TIEBREAKERS.some((known) => known === name);
}

/** `{ name: 'Buchholz', short: 'BH', sentence }` for a tie-break of the API. */
export function tieBreak(key: string): { name: string; short: string; sentence: string } {
  if (!isTiebreaker(key)) return { name: key, short: key, sentence: key };
  return { ...labels[key], sentence: describeTiebreaker(key) };
}

const signed = new Set(['game_difference', 'score_difference', 'difficulty']);

/** A tie-break's value as it is shown: `+3`, `54.2%`, `–` where it said nothing. */
export function formatTieBreak(key: string, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (key.endsWith('_percentage')) return `${(value * 100).toFixed(1)}%`;
  if (signed.has(key) && value > 0) return `+${value}`;
  return Number.isInteger(value) ? String(value) : value.toFixed(2).replace(/0+$/, '');
}

/**
 * Why the row is ahead of the next one, when points alone do not say it: `Ahead of Ana on Buchholz, 12 to 10.`
 * @param ruled ids that staff has put in order, by tie
 * @returns null where nothing needs explaining
 */
export function explainRank(
  row: StandingsRow,
  next: StandingsRow | undefined,
  tiebreakers: string[],
  ruled: readonly (readonly string[])[] = [],
): string | null {
  if (!next || row.points !== next.points || row.played + next.played === 0) return null;
  const isRuled = ruled.some((tie) => tie.includes(row.participantId) && tie.includes(next.participantId));
  for (const key of tiebreakers) {
    if (isRuled && (key === 'seed' || key === 'random')) break;
    if (key === 'random') return `Ahead of ${next.name} by a random draw.`;
    const [own, other] = [row.tiebreakers[key], next.tiebreakers[key]];
    if (own === null || other === null || own === undefined || other === undefined) continue;
    if (Math.abs(own - other) < 1e-9) continue;
    if (key === 'wins' && own < other) continue;
    if (key === 'seed') return `Ahead of ${next.name} as the better seed, ${own} to ${other}.`;
    return `Ahead of ${next.name} on ${tieBreak(key).name}, ${formatTieBreak(key, own)} to ${formatTieBreak(key, other)}.`;
  }
  if (isRuled) return `Ahead of ${next.name} by decision of staff.`;
  return row.seed < next.seed ? `Ahead of ${next.name} as the better seed, ${row.seed} to ${next.seed}.` : null;
}
