import type { Match } from '@/components/matches/types';

/** The scores of one game as typed, in slot order. */
export type GameText = readonly [string, string];
export type ResultText = { games: readonly GameText[]; winnerId: string | null };

type Rules = Pick<Match, 'bestOf' | 'bracket' | 'slots'>;
/** A result as it is sent. */
export type TypedResult = { games: { scores: [number, number] }[]; winnerId?: string };
type Reading = { result: TypedResult; error: null } | { result: null; error: string };

const isEmpty = ([a, b]: GameText) => a.trim() === '' && b.trim() === '';
const isFull = ([a, b]: GameText) => a.trim() !== '' && b.trim() !== '';
const isScore = (text: string) => /^\d{1,7}$/.test(text.trim());

/** How many games win a match. */
const gamesToWin = (bestOf: number) => Math.floor(bestOf / 2) + 1;

/** Games won by each side, counting only games with two different scores. */
export function gamesWon(games: readonly GameText[]): [number, number] {
  const full = games.filter((game) => isFull(game) && game.every(isScore));
  const won = (side: 0 | 1) => full.filter((game) => Number(game[side]) > Number(game[side === 0 ? 1 : 0])).length;
  return [won(0), won(1)];
}

/** How many games to show: enough to win, and one more while the match is open after those. */
export function visibleGames(bestOf: number, games: readonly GameText[]): number {
  const filled = games.filter((game) => !isEmpty(game)).length;
  const [a, b] = gamesWon(games);
  const isWon = Math.max(a, b) >= gamesToWin(bestOf);
  return Math.min(bestOf, Math.max(gamesToWin(bestOf), filled + (isWon ? 0 : 1)));
}

/** The slot of the side that the scores make the winner; null while they are level. */
export function winnerByScores(games: readonly GameText[]): 0 | 1 | null {
  const [a, b] = gamesWon(games);
  return a === b ? null : a > b ? 0 : 1;
}

/** Whether a winner has to be named although the scores are complete, or instead of scores. */
export function needsWinner({ bracket }: Rules, games: readonly GameText[]): boolean {
  if (winnerByScores(games) !== null) return false;
  return bracket !== 'group' || games.every(isEmpty);
}

/** Reads what was typed. `error` says what to fix before it can be sent. */
export function readResult(match: Rules, { games, winnerId }: ResultText): Reading {
  const played = games.filter((game) => !isEmpty(game));
  const refusal = (error: string): Reading => ({ result: null, error });
  const half = games.findIndex((game) => !isEmpty(game) && !isFull(game));
  if (half >= 0) return refusal(`Enter both scores of game ${half + 1}.`);
  if (!played.every((game) => game.every(isScore))) return refusal('Scores are whole numbers from 0.');
  const gap = games.findIndex((game, at) => isEmpty(game) && games.slice(at + 1).some((later) => !isEmpty(later)));
  if (gap >= 0) return refusal(`Enter the scores of game ${gap + 1}, or remove the games after it.`);
  const named = needsWinner(match, games) ? winnerId : null;
  if (needsWinner(match, games) && named === null) {
    return refusal(
      played.length === 0 ? 'Enter the scores or choose the winner.' : 'The games are level. Choose the winner.',
    );
  }
  const scores = played.map(([a, b]) => ({ scores: [Number(a), Number(b)] as [number, number] }));
  return { result: { games: scores, ...(named === null ? {} : { winnerId: named }) }, error: null };
}

/** The result that a match has, as text to edit. */
export function textOf(match: Pick<Match, 'games' | 'winnerId' | 'report' | 'bestOf'>): ResultText {
  const source = match.winnerId !== null || match.games.length > 0 ? match : match.report;
  const known = (source?.games ?? []).flatMap(({ scores }): GameText[] =>
    scores ? [[String(scores[0]), String(scores[1])]] : [],
  );
  const empty = Array.from({ length: Math.max(0, match.bestOf - known.length) }, (): GameText => ['', '']);
  return { games: [...known, ...empty], winnerId: source?.winnerId ?? null };
}

/** A typed result with the winner of each game and of the match, as a report has them. */
export function reportOf({ slots }: Pick<Match, 'slots'>, { games, winnerId }: TypedResult) {
  const idOf = (side: 0 | 1 | null) => (side === null ? null : slots[side].participantId);
  const winner = winnerByScores(games.map(({ scores: [a, b] }): GameText => [String(a), String(b)]));
  return {
    games: games.map(({ scores }) => {
      const [a, b] = scores;
      return { scores, winnerId: idOf(a === b ? null : a > b ? 0 : 1) };
    }),
    winnerId: winnerId ?? idOf(winner),
  };
}
