import { groupName } from '@/domain/brackets/draw/groups';
import {
  type FinalPlace,
  finalPlaces,
  isGroupOver,
  matchesByGroup,
  matchesOf,
  participantsOf,
} from '@/domain/brackets/play/outcomes';
import { isStageOver } from '@/domain/brackets/play/settle';
import { majorOutcome } from '@/domain/brackets/swiss/swiss';
import type { Bracket, Group, Match, Ruling, Stage, StageType, TiebreakerName } from '@/domain/brackets/types';
import { rankGroup, tiesOf } from './stage-ranking';
import type { RankedRow } from './tiebreakers';

export interface StandingsRow {
  readonly rank: number;
  readonly participantId: string;
  readonly seed: number;
  /** Matches decided, byes and forfeits included. */
  readonly played: number;
  readonly wins: number;
  readonly draws: number;
  readonly losses: number;
  readonly gamesWon: number;
  readonly gamesLost: number;
  readonly points: number;
  /** Values of the stage's tie-breaks; null where one said nothing. Percentages are shares from 0 to 1. */
  readonly tiebreakers: RankedRow['tiebreakers'];
  /** Whether they go on to the next stage, or would have: null while that is open, and in a last stage. */
  readonly outcome: 'advanced' | 'eliminated' | null;
}

export interface GroupStandings {
  readonly number: number;
  readonly name: string;
  readonly rows: readonly StandingsRow[];
  /** Once the group is over: ids of those whom only their seeds, a draw or staff can order, tie by tie. */
  readonly ties: readonly (readonly string[])[];
  readonly ruling: Ruling | null;
}

export interface StageStandings {
  readonly number: number;
  readonly type: StageType;
  /** In the order they are applied; empty where places decide. */
  readonly tiebreakers: readonly TiebreakerName[];
  /** Empty in a knockout stage. */
  readonly groups: readonly GroupStandings[];
}

export interface Standings {
  /** Empty until the first participant is out. */
  readonly final: readonly FinalPlace[];
  readonly stages: readonly StageStandings[];
}

/** The final places known so far, and the tables of every stage that has one. */
export function standings(bracket: Bracket): Standings {
  return {
    final: finalPlaces(bracket),
    stages: bracket.stages.map((stage) => {
      const outcome = outcomes(bracket, stage);
      return {
        number: stage.number,
        type: stage.type,
        tiebreakers: stage.groups.length > 0 && stage.type !== 'gsl' ? bracket.options.tiebreakers : [],
        groups: matchesByGroup(bracket, stage).map(([group, matches]) => {
          return groupStandings(bracket, stage, { group, matches, outcome });
        }),
      };
    }),
  };
}

type Played = { group: Group; matches: readonly Match[]; outcome: Outcome };

function groupStandings(bracket: Bracket, stage: Stage, { group, matches, outcome }: Played): GroupStandings {
  const rows = rankGroup(bracket, stage, group, matches);
  return {
    number: group.number,
    name: groupName(group.number),
    ties: isGroupOver(bracket, stage, matches) ? tiesOf(bracket, stage, group, matches) : [],
    ruling: group.ruling,
    rows: rows.map((row) => ({
      rank: row.rank,
      participantId: row.participantId,
      seed: row.seed,
      played: row.played,
      wins: row.wins,
      draws: row.draws,
      losses: row.losses,
      gamesWon: row.gamesWon,
      gamesLost: row.gamesLost,
      points: row.points,
      tiebreakers: row.tiebreakers,
      outcome: outcome(row),
    })),
  };
}

type Outcome = (row: RankedRow) => StandingsRow['outcome'];

function outcomes(bracket: Bracket, stage: Stage): Outcome {
  const next = bracket.stages.find(({ number }) => number === stage.number + 1);
  if (next && isStageOver(bracket, stage, matchesOf(bracket, stage))) {
    const participants = participantsOf(bracket, next);
    return ({ participantId }) => (participants.has(participantId) ? 'advanced' : 'eliminated');
  }
  return stage.type === 'swiss' ? (row) => majorOutcome(row, bracket.options) : () => null;
}
