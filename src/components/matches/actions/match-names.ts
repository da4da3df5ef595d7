import type { Match } from '@/components/matches/types';

/** A result as reports, matches and the lines of a thread have it. */
type Result = {
  games: readonly { scores: readonly [number, number] | null; winnerId: string | null }[];
  winnerId: string | null;
};

/** The name of a participant of a match. */
export function nameIn(match: Pick<Match, 'slots'>, participantId: string | null): string {
  return match.slots.find((slot) => slot.participantId === participantId)?.name ?? 'To be decided';
}

/** `Alice vs Bob`. */
export function pairing(match: Pick<Match, 'slots'>): string {
  return match.slots.map(({ participantId }) => nameIn(match, participantId)).join(' vs ');
}

/** Whether the second side won, so that its scores are named first. */
const isFlipped = (sides: readonly (string | null)[], winnerId: string | null) =>
  winnerId !== null && sides[1] === winnerId;

/** A result in words, the winner's scores first: `Alice won 2–1 (13–9, 8–13, 13–11)`. @param sides in slot order */
export function describeResult(
  sides: readonly (string | null)[],
  { games, winnerId }: Result,
  nameOf: (participantId: string) => string,
): string {
  const flipped = isFlipped(sides, winnerId);
  const won = sides.map((id) => games.filter((game) => game.winnerId !== null && game.winnerId === id).length);
  const [own = 0, other = 0] = flipped ? [...won].reverse() : won;
  const scores = games.flatMap(({ scores: pair }) =>
    pair ? [flipped ? `${pair[1]}–${pair[0]}` : `${pair[0]}–${pair[1]}`] : [],
  );
  const verb = winnerId === null ? 'Draw' : `${nameOf(winnerId)} won`;
  if (games.length === 0) return verb;
  if (games.length === 1 && scores.length === 1) return `${verb} ${scores[0]}`;
  return `${verb} ${own}–${other}${scores.length > 0 ? ` (${scores.join(', ')})` : ''}`;
}

/** A result of a match in words. */
export function describeReport(match: Pick<Match, 'slots'>, result: Result): string {
  const sides = match.slots.map(({ participantId }) => participantId);
  return describeResult(sides, result, (id) => nameIn(match, id));
}
