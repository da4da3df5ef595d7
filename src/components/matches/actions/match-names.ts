import type { Match } from '@/components/matches/types';

/** The name of a participant of a match. */
export function nameIn(match: Pick<Match, 'slots'>, participantId: string | null): string {
  return match.slots.find((slot) => slot.participantId === participantId)?.name ?? 'To be decided';
}

/** `Alice vs Bob`. */
export function pairing(match: Pick<Match, 'slots'>): string {
  return match.slots.map(({ participantId }) => nameIn(match, participantId)).join(' vs ');
}

/** A reported result in words: `Alice won 2–1 (13–9, 8–13, 13–11)`. */
export function describeReport(
  match: Pick<Match, 'slots'>,
  { games, winnerId }: Pick<NonNullable<Match['report']>, 'games' | 'winnerId'>,
): string {
  const won = match.slots.map(({ participantId }) => games.filter((game) => game.winnerId === participantId).length);
  const [own = 0, other = 0] = match.slots[1].participantId === winnerId ? [...won].reverse() : won;
  const flipped = match.slots[1].participantId === winnerId;
  const scores = games.flatMap(({ scores: pair }) =>
    pair ? [flipped ? `${pair[1]}–${pair[0]}` : `${pair[0]}–${pair[1]}`] : [],
  );
  const verb = winnerId === null ? 'Draw' : `${nameIn(match, winnerId)} won`;
  if (games.length === 0) return verb;
  if (games.length === 1 && scores.length === 1) return `${verb} ${scores[0]}`;
  return `${verb} ${own}–${other}${scores.length > 0 ? ` (${scores.join(', ')})` : ''}`;
}
