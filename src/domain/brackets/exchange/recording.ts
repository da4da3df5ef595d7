import { BracketError } from '@/domain/brackets/bracket-error';
import { lotsOf } from '@/domain/brackets/draw/lots';
import { OPTIONS_OF_FORMAT } from '@/domain/brackets/options';
import { decidedMatch, type MatchResult, reportedResult } from '@/domain/brackets/play/results';
import type {
  Bracket,
  BracketSide,
  Departure,
  Format,
  FormatOptions,
  Match,
  MatchStatus,
  Pair,
  Ruling,
  Source,
  StageType,
} from '@/domain/brackets/types';

/** What people decided about a match; everything else about it follows. */
export interface RecordedMatch {
  /** From 1, without gaps in the tournament. */
  readonly number: number;
  /** Number of its stage. */
  readonly stage: number;
  readonly bracket: BracketSide;
  readonly round: number;
  /** Who played it; null: nobody yet, or a bye. */
  readonly participantIds: Pair<string | null>;
  /** Needed in a tree given as edges, and for who enters a knockout that was seeded by hand. */
  readonly sources: Pair<Source | null>;
  /** Needed in a tree given as edges, where they do not follow from it. */
  readonly winnerRank: number | null;
  readonly loserRank: number | null;
  /** The reported result; null while there is none, in byes, and where somebody had left. */
  readonly result: MatchResult | null;
  /** `scheduled`, `in_progress` and `disputed` are restored; the others follow. */
  readonly status: MatchStatus;
}

export interface RecordedStage {
  readonly number: number;
  readonly type: StageType;
  readonly rulings: readonly { readonly group: number; readonly ruling: Ruling }[];
}

/** A tournament as people played it: `restore` makes the bracket of it. JSON-serializable. */
export interface Recording {
  readonly format: Format;
  readonly options: FormatOptions;
  readonly randomSeed: string;
  /** In seed order. */
  readonly participantIds: readonly string[];
  /** What lots are drawn with, in seed order; missing: their ids. */
  readonly lots?: readonly string[] | undefined;
  readonly stages: readonly RecordedStage[];
  readonly matches: readonly RecordedMatch[];
  /** In the order they left. */
  readonly departures: readonly Departure[];
}

/** A match with its recorded result; what is wrong with it is said with the number of the match. */
export function withRecordedResult(bracket: Bracket, match: Match, result: MatchResult | null): Match {
  if (result === null) return match;
  try {
    return decidedMatch(bracket, match, result);
  } catch (error) {
    if (!(error instanceof BracketError)) throw error;
    throw new BracketError(error.code, `Match ${match.number}: ${error.message}`);
  }
}

/** Everything that people decided in a bracket. `restore` of it is the same bracket. */
export function record(bracket: Bracket): Recording {
  const known = new Set<string>(OPTIONS_OF_FORMAT[bracket.format]);
  return {
    format: bracket.format,
    options: Object.fromEntries(Object.entries(bracket.options).filter(([key]) => known.has(key))),
    randomSeed: bracket.randomSeed,
    participantIds: bracket.participants.map(({ participantId }) => participantId),
    lots: lotsOf(bracket),
    stages: bracket.stages.map(({ number, type, groups }) => ({
      number,
      type,
      rulings: groups.flatMap(({ number: group, ruling }) => (ruling ? [{ group, ruling }] : [])),
    })),
    matches: bracket.matches.map((match) => {
      const { number, stage, bracket: side, round, slots, winnerRank, loserRank, status } = match;
      return {
        ...{ number, stage, bracket: side, round, winnerRank, loserRank, status },
        participantIds: [slots[0].participantId, slots[1].participantId],
        sources: [slots[0].source, slots[1].source],
        result: reportedResult(match),
      };
    }),
    departures: bracket.departures,
  };
}
