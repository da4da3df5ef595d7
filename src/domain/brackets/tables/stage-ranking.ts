import { isDecided, loserOf } from '@/domain/brackets/play/match-state';
import type { Bracket, Group, Match, Stage } from '@/domain/brackets/types';
import { buildTable } from './table';
import { beforeLots, type RankedRow, rankTable, tiedOn } from './tiebreakers';

type Played = Pick<Bracket, 'options' | 'randomSeed' | 'participants'>;

/** The ranked rows of a group of a table stage or of a GSL group, over these matches of the group. */
export function rankGroup(bracket: Played, stage: Stage, group: Group, matches: readonly Match[]): RankedRow[] {
  const members = new Set(group.participantIds);
  const participants = bracket.participants.filter(({ participantId }) => members.has(participantId));
  const table = buildTable(participants, matches, bracket.options, bracket.randomSeed);
  if (stage.type !== 'gsl') return rankTable(table, bracket.options.tiebreakers, group.ruling);
  const place = placesOf(matches);
  return rankTable(table, ['wins'])
    .sort((a, b) => (place.get(a.participantId) ?? 0) - (place.get(b.participantId) ?? 0))
    .sort((a, b) => Number(place.has(b.participantId)) - Number(place.has(a.participantId)))
    .map((row, at) => ({ ...row, rank: place.get(row.participantId) ?? at + 1, tiebreakers: {} }));
}

/**
 * Participants of a group who are equal in everything but lots, by ids: only a ruling of staff, their seeds or a random
 * draw can order them.
 */
export function tiesOf(bracket: Played, stage: Stage, group: Group, matches: readonly Match[]): string[][] {
  if (stage.type === 'gsl') return [];
  const members = new Set(group.participantIds);
  const participants = bracket.participants.filter(({ participantId }) => members.has(participantId));
  const table = buildTable(participants, matches, bracket.options, bracket.randomSeed);
  return tiedOn(table, beforeLots(bracket.options.tiebreakers));
}

/** The place in their stage of everyone who has left it through one of these knockout matches. */
export function placesOf(matches: readonly Match[]): Map<string, number> {
  const places = new Map<string, number>();
  const byNumber = new Map(matches.map((match) => [match.number, match]));
  /** A side of a double forfeit leaves with the place of the match it would have lost next. */
  const lossPlace = (match: Match): number | null => {
    if (match.loserRank !== null || match.loserTo === null) return match.loserRank;
    const next = byNumber.get(match.loserTo.match);
    return next ? lossPlace(next) : null;
  };
  for (const match of matches) {
    if (!isDecided(match)) continue;
    const loser = loserOf(match);
    if (match.winnerId !== null) {
      if (match.winnerRank !== null && !next(match.winnerTo?.match)) places.set(match.winnerId, match.winnerRank);
      const goesOn = next(match.loserTo?.match);
      if (loser !== null && match.loserRank !== null && !goesOn) places.set(loser, match.loserRank);
      continue;
    }
    for (const { participantId } of match.slots) {
      const place = lossPlace(match);
      if (participantId !== null && place !== null) places.set(participantId, place);
    }
  }
  return places;

  function next(number: number | undefined): boolean {
    return number !== undefined && byNumber.has(number);
  }
}
