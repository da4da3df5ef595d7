import { roundName } from '@/domain/brackets/names';
import type { Correction } from '@/domain/brackets/play/correction';
import { standings as computeStandings } from '@/domain/brackets/tables/standings';
import { tiesOfRuling } from '@/domain/brackets/tables/tiebreakers';
import type { BracketSide, Game, Slot } from '@/domain/brackets/types';
import type { MatchRow, Play, StageRow, StationRow, StoredReport } from './data-bracket';
import { graceEnd } from './rules';
import type { BracketOutput, CorrectionOutput, MatchOutput, StandingsOutput } from './schema';

type Names = Play['names'];

function toSlot(participantId: string | null, slot: Omit<Slot, 'participantId'>, names: Names) {
  const { seed, score, result, source } = slot;
  return { participantId, name: participantId && (names[participantId] ?? null), seed, score, result, source };
}

function toGames(games: readonly Game[], row: MatchRow) {
  const ids = [row.participantAId, row.participantBId];
  return games.map(({ scores, winner }) => ({
    scores: scores && ([scores[0], scores[1]] as [number, number]),
    winnerId: winner === null ? null : (ids[winner] ?? null),
  }));
}

function toReport({ by, games, winnerId, reportedAt }: StoredReport, row: MatchRow) {
  return { by, games: toGames(games, row), winnerId, reportedAt };
}

/** What a match shows of its station. */
export type MatchStation = Pick<StationRow, 'name' | 'streamUrl'>;

/** A match as everyone may see it; fields are named one by one, so that a new column stays private. */
export function toMatch(
  row: MatchRow,
  { stage, names, station }: { stage: Pick<StageRow, 'id' | 'name'>; names: Names; station: MatchStation | null },
): MatchOutput {
  return {
    id: row.id,
    tournamentId: row.tournamentId,
    stage: stage.name,
    stageId: stage.id,
    group: row.groupNumber,
    round: row.round,
    number: row.number,
    bracket: row.bracket,
    status: row.status,
    decidedBy: row.decidedBy,
    bestOf: row.bestOf,
    slots: [toSlot(row.participantAId, row.slotA, names), toSlot(row.participantBId, row.slotB, names)],
    games: toGames(row.games, row),
    winnerId: row.winnerId,
    winnerTo: row.winnerTo,
    loserTo: row.loserTo,
    report: row.report && { ...toReport(row.report, row), confirmBy: row.confirmBy },
    counterReport: row.counterReport && toReport(row.counterReport, row),
    proposal: row.proposal && {
      scheduledAt: row.proposal.scheduledAt,
      by: row.proposal.by,
      proposedAt: row.proposal.proposedAt,
    },
    scheduledAt: row.scheduledAt,
    calledAt: row.calledAt,
    showUpBy: graceEnd(row),
    station: station?.name ?? null,
    stationId: row.stationId,
    streamUrl: row.streamUrl ?? station?.streamUrl ?? null,
    streamPosition: row.streamPosition,
    startedAt: row.startedAt,
    completedAt: row.completedAt,
    version: row.version,
  };
}

/** A match of a draw. */
export function matchOf(play: Play, row: MatchRow): MatchOutput {
  const stage = play.stages.find(({ id }) => id === row.stageId) ?? { id: row.stageId, name: '' };
  return toMatch(row, { stage, names: play.names, station: stationOf(play, row) });
}

function stationOf({ stations }: Play, { stationId }: MatchRow): MatchStation | null {
  return stations.find(({ id }) => id === stationId) ?? null;
}

const sides: readonly BracketSide[] = ['group', 'winners', 'losers', 'final'];

function roundsOf(play: Play, stage: StageRow): BracketOutput['stages'][number]['rounds'] {
  const rows = [...play.rows.values()].filter(({ stageId }) => stageId === stage.id);
  return sides.flatMap((bracket) => {
    const ofSide = rows.filter((row) => row.bracket === bracket);
    const rounds = ofSide.reduce((last, { round }) => Math.max(last, round), 0);
    return Array.from({ length: rounds }, (_, at) => ({
      number: at + 1,
      name: roundName(stage.type, { bracket, round: at + 1, rounds }),
      bracket,
      matches: ofSide
        .filter(({ round }) => round === at + 1)
        .map((row) => toMatch(row, { stage, names: play.names, station: stationOf(play, row) })),
    })).filter(({ matches }) => matches.length > 0);
  });
}

/** The whole bracket, round by round. @param standings where they have been made already */
export function toBracket(play: Play, standings?: StandingsOutput): BracketOutput {
  const hasTable = play.stages.some(({ groups }) => groups.length > 0);
  const tables = hasTable ? (standings ?? toStandings(play)).stages : [];
  return {
    tournamentId: play.tournamentId,
    format: play.format,
    version: play.version,
    stages: play.stages.map((stage) => {
      const { id, name, type, endedEarly, groups } = stage;
      const table = groups.length > 0 ? tables.find((one) => one.id === id) : undefined;
      const ofStage = table && { tiebreakers: table.tiebreakers, groups: table.groups };
      return { id, name, type, endedEarly, rounds: roundsOf(play, stage), ...(ofStage ? { standings: ofStage } : {}) };
    }),
  };
}

/** The places known so far and the tables of all stages. */
export function toStandings(play: Play): StandingsOutput {
  const { final, stages } = computeStandings(play.bracket);
  const name = (participantId: string) => play.names[participantId] ?? '';
  return {
    tournamentId: play.tournamentId,
    final: final.map(({ rank, participantId, seed }) => ({ rank, participantId, name: name(participantId), seed })),
    stages: stages.map(({ number, type, tiebreakers, groups }) => {
      const stage = play.stages.find((one) => one.number === number);
      const id = stage?.id ?? '';
      return {
        id,
        name: stage?.name ?? '',
        type,
        tiebreakers: [...tiebreakers],
        groups: groups.map((group) => ({
          id: `${id}.${group.number}`,
          number: group.number,
          name: group.name,
          ties: group.ties.map((ids) => [...ids]),
          ruling: group.ruling && {
            order: [...group.ruling.order],
            ties: tiesOfRuling(group.ruling).map((ids) => [...ids]),
            reason: group.ruling.reason,
          },
          rows: group.rows.map((row) => ({
            ...row,
            name: name(row.participantId),
            tiebreakers: Object.fromEntries(
              Object.entries(row.tiebreakers).map(([key, value]) => [key, value ?? null]),
            ),
          })),
        })),
      };
    }),
  };
}

/** What a correction changes; `corrected` is the match once it is written. */
export function toCorrection(
  before: Play,
  decided: Correction,
  corrected?: { play: Play; row: MatchRow },
): CorrectionOutput {
  return {
    allowed: decided.allowed,
    affected: decided.affected.map(({ match, change, losesResult, participantsBefore, participantsAfter }) => ({
      matchId: before.rows.get(match)?.id ?? null,
      number: match,
      // The engine does not know reports; one goes with the pairing that it is about.
      change: change === 'advances_other' && before.rows.get(match)?.report ? 'cleared' : change,
      losesResult,
      before: [...participantsBefore],
      after: participantsAfter && [...participantsAfter],
    })),
    ...(decided.allowed ? {} : { reason: decided.reason }),
    ...(corrected ? { match: matchOf(corrected.play, corrected.row) } : {}),
  };
}
