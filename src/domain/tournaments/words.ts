import { counted } from '@/domain/text/counted';
import type { TournamentFormat } from '@/domain/tournaments/rules';

const formats: Record<TournamentFormat, string> = {
  single_elimination: 'Single elimination',
  double_elimination: 'Double elimination',
  round_robin: 'Round robin',
  swiss: 'Swiss',
  groups_to_knockout: 'Groups, then knockout',
};

/** The name of a format. */
export function formatLabel(format: TournamentFormat): string {
  return formats[format];
}

/** Who plays whom: `1v1`, `5v5`. */
export function matchSizeLabel(teamSize: number): string {
  return `${teamSize}v${teamSize}`;
}

/** A number of participants: `1 player`, `16 teams`. */
export function countParticipants(count: number, teamSize: number): string {
  return counted(count, teamSize > 1 ? 'team' : 'player');
}
