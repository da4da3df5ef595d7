import type { BracketData } from '@/components/brackets/types';
import { generate } from '@/domain/brackets/draw/generate';
import { roundName, stageName } from '@/domain/brackets/names';
import { standings } from '@/domain/brackets/tables/standings';
import { tiesOfRuling } from '@/domain/brackets/tables/tiebreakers';
import type { Bracket, BracketSide, Format, FormatOptions, Match, Stage } from '@/domain/brackets/types';

const sides: readonly BracketSide[] = ['group', 'winners', 'losers', 'final'];
const nameOf = (id: string) => `Player ${id.slice(1)}`;

/** The bracket of `count` participants `p1`, `p2` … before its first match. */
export function drawn(format: Format, count: number, options: FormatOptions = {}): Bracket {
  return generate(
    format,
    options,
    Array.from({ length: count }, (_, at) => `p${at + 1}`),
    'seed',
  );
}

function toMatch(match: Match, stage: Stage): BracketData['stages'][number]['rounds'][number]['matches'][number] {
  const { winnerTo, loserTo, slots, games } = match;
  const slot = ([index]: [0 | 1]) => {
    const { participantId, seed, score, result, source } = slots[index];
    return { participantId, name: participantId && nameOf(participantId), seed, score, result, source };
  };
  return {
    ...{ id: `mat_${match.number}`, tournamentId: 'trn_1', stage: stageName(stage), stageId: `stg_${stage.number}` },
    ...{ group: match.group, round: match.round, number: match.number, bracket: match.bracket, status: match.status },
    ...{ decidedBy: match.decidedBy, bestOf: match.bestOf, slots: [slot([0]), slot([1])] },
    games: games.map(({ scores, winner }) => ({
      scores: scores && [scores[0], scores[1]],
      winnerId: winner === null ? null : slots[winner].participantId,
    })),
    ...{ winnerId: match.winnerId, winnerTo: winnerTo && { ...winnerTo }, loserTo: loserTo && { ...loserTo } },
    ...{ report: null, counterReport: null, proposal: null, scheduledAt: null, calledAt: null, stationId: null },
    ...{
      showUpBy: null,
      station: null,
      streamUrl: null,
      streamPosition: null,
      startedAt: null,
      completedAt: null,
      version: 1,
    },
  };
}

/** A bracket of the engine in the shape in which the server sends it. */
export function bracketData(bracket: Bracket): BracketData {
  const tables = standings(bracket).stages;
  return {
    tournamentId: 'trn_1',
    format: bracket.format,
    version: 1,
    stages: bracket.stages.map((stage) => {
      const matches = bracket.matches.filter((match) => match.stage === stage.number);
      const rounds = sides.flatMap((side) => {
        const ofSide = matches.filter((match) => match.bracket === side);
        const count = Math.max(0, ...ofSide.map(({ round }) => round));
        return Array.from({ length: count }, (_, at) => ({
          number: at + 1,
          name: roundName(stage.type, { bracket: side, round: at + 1, rounds: count }),
          bracket: side,
          matches: ofSide.filter(({ round }) => round === at + 1).map((match) => toMatch(match, stage)),
        }));
      });
      const table = stage.groups.length > 0 ? tables.find(({ number }) => number === stage.number) : undefined;
      return {
        ...{
          id: `stg_${stage.number}`,
          name: stageName(stage),
          type: stage.type,
          endedEarly: stage.endedEarly,
          rounds,
        },
        standings: table && {
          tiebreakers: [...table.tiebreakers],
          groups: table.groups.map((group) => ({
            id: `stg_${stage.number}.${group.number}`,
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
              name: nameOf(row.participantId),
              tiebreakers: Object.fromEntries(
                Object.entries(row.tiebreakers).map(([key, value]) => [key, value ?? null]),
              ),
            })),
          })),
        },
      };
    }),
  };
}
