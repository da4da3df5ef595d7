import { BracketError, type BracketErrorCode } from '@/domain/brackets/bracket-error';
import { isDecided, slotOf } from '@/domain/brackets/play/match-state';
import type { GameReport, PlayedResult } from '@/domain/brackets/play/results';
import type { Match } from '@/domain/brackets/types';
import { isOnlyReported } from '@/domain/matches/play';
import { howToGoBack, type Reason, refuse } from '@/server/errors';

/** Which error of the API each refusal of the bracket engine is. */
const reasonOf: Record<BracketErrorCode, Reason> = {
  NOT_ENOUGH_PARTICIPANTS: 'NOT_ENOUGH_PARTICIPANTS',
  INVALID_OPTIONS: 'FORMAT_NOT_PLAYABLE',
  INVALID_SEEDING: 'FORMAT_NOT_PLAYABLE',
  INVALID_TREE: 'FORMAT_NOT_PLAYABLE',
  INVALID_RECORD: 'FORMAT_NOT_PLAYABLE',
  UNKNOWN_MATCH: 'NOT_FOUND',
  UNKNOWN_PARTICIPANT: 'NOT_FOUND',
  UNKNOWN_STAGE: 'NOT_FOUND',
  MATCH_NOT_READY: 'MATCH_NOT_READY',
  MATCH_ALREADY_DECIDED: 'MATCH_ALREADY_DECIDED',
  MATCH_NOT_DECIDED: 'MATCH_NOT_DECIDED',
  INVALID_RESULT: 'INVALID_RESULT',
  ALREADY_DEPARTED: 'INVALID_STATE',
  NOT_DEPARTED: 'INVALID_STATE',
  STAGE_NOT_DRAWN: 'INVALID_STATE',
  STAGE_NOT_OVER: 'INVALID_STATE',
  STAGE_ALREADY_BEGUN: 'INVALID_STATE',
};

/** Runs a decision of the bracket engine; what it refuses is thrown as an error of the API, `reasons` going first. */
export function inBracket<T>(decide: () => T, reasons: Partial<Record<BracketErrorCode, Reason>> = {}): T {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof BracketError)) throw error;
    const advice = error.code === 'STAGE_ALREADY_BEGUN' ? ` ${howToGoBack}` : '';
    throw refuse(reasons[error.code] ?? reasonOf[error.code], { message: `${error.message}.${advice}` });
  }
}

/**
 * A reported result as the bracket engine takes it. Where the games are level and a winner is named, the last level
 * game went to that winner in a shoot-out.
 */
export function playedResult(
  match: Match,
  { games, winnerId }: { games: readonly { scores: readonly [number, number] }[]; winnerId?: string },
): PlayedResult {
  const played: GameReport[] = games.map(({ scores: [a, b] }) => {
    return { scores: [a, b], winner: a === b ? null : a > b ? 0 : 1 };
  });
  const winner = winnerId === undefined ? null : slotOf(match, winnerId);
  const won = (slot: 0 | 1) => played.filter((game) => game.winner === slot).length;
  const last = played.at(-1);
  if (winner !== null && won(0) === won(1) && last?.winner === null) played[played.length - 1] = { ...last, winner };
  return { type: 'played', games: played, ...(winnerId === undefined ? {} : { winnerId }) };
}

type Called = Parameters<typeof isOnlyReported>[0] & { showUpBy: string | null };

/** Until when the participants of a match that was called and not begun have time to show up; null: no such time. */
export function graceEnd(row: Called): string | null {
  return row.status === 'ready' || row.status === 'scheduled' || isOnlyReported(row) ? row.showUpBy : null;
}

/** Refuses while called participants still have time to show up. */
export function requireGraceOver(row: Called, now: Date): void {
  const end = graceEnd(row);
  if (end !== null && now.getTime() < Date.parse(end)) throw refuse('GRACE_NOT_OVER');
}

/** Refuses unless a match can be played or decided now. */
export function requireOpen(match: Pick<Match, 'status'>, { orDisputed = false } = {}): void {
  if (match.status === 'pending') throw refuse('MATCH_NOT_READY');
  if (isDecided(match)) throw refuse('MATCH_ALREADY_DECIDED');
  if (match.status === 'disputed' && !orDisputed) {
    throw refuse('INVALID_STATE', { message: 'The result is disputed. A moderator decides it.' });
  }
}
