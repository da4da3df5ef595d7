/** Tournament formats an organizer can choose. */
export type Format = 'single_elimination' | 'double_elimination' | 'round_robin' | 'swiss' | 'groups_to_knockout';

/** How one stage of a tournament is played. `gsl` is a stage of four-participant groups, `custom` a tree given as edges. */
export type StageType = 'single_elimination' | 'double_elimination' | 'round_robin' | 'swiss' | 'gsl' | 'custom';

export type KnockoutFormat = 'single_elimination' | 'double_elimination';

/** Part of a stage a match belongs to. The third-place match is in `losers`, Swiss and round robin are in `group`. */
export type BracketSide = 'winners' | 'losers' | 'final' | 'group';

/**
 * The engine sets `pending` (a participant is still unknown), `ready`, `completed` and `forfeited`. The caller may set
 * `scheduled`, `in_progress` and `disputed` on a ready match; they are kept while its participants stay the same.
 */
export type MatchStatus = 'pending' | 'ready' | 'scheduled' | 'in_progress' | 'disputed' | 'completed' | 'forfeited';

/** Two values by slot: index 0 is the first slot. */
export type Pair<T> = readonly [T, T];

export type SlotIndex = 0 | 1;

/** Where the participant of a slot comes from when it is not a bye. */
export type Origin =
  | { readonly type: 'seed'; readonly seed: number }
  | { readonly type: 'winner' | 'loser'; readonly match: number }
  /** Place `rank` of a group of the stage before. */
  | { readonly type: 'group'; readonly group: number; readonly rank: number }
  /** Place `rank` of the standings of the stage before. */
  | { readonly type: 'standing'; readonly rank: number }
  /** Drawn by the Swiss pairing. */
  | { readonly type: 'pairing' };

/** `of` is where a participant would have come from; null when nobody could ever have come. */
export type Source = Origin | { readonly type: 'bye'; readonly of: Origin | null };

export type SlotResult = 'win' | 'loss' | 'draw' | 'forfeit';

export interface Slot {
  readonly participantId: string | null;
  /** The participant's seed in the tournament. */
  readonly seed: number | null;
  /** Games won; null while undecided, after a forfeit and when only a winner was reported. */
  readonly score: number | null;
  readonly result: SlotResult | null;
  readonly source: Source;
}

export interface Game {
  /** What each side scored within the game; null when only its winner is known. */
  readonly scores: Pair<number> | null;
  /** Null: the game was drawn. */
  readonly winner: SlotIndex | null;
}

/** What decided a match: a reported result, a forfeit somebody gave, the departure of a participant, or a bye. */
export type DecidedBy = 'result' | 'forfeit' | 'departure' | 'bye';

export interface SlotAddress {
  readonly match: number;
  readonly slot: SlotIndex;
}

/** One match: a plain row that can be stored and read back. */
export interface Match {
  /** From 1, unique in the tournament; a match comes after every match that feeds it. */
  readonly number: number;
  readonly stage: number;
  /** Null in a knockout stage. */
  readonly group: number | null;
  /** From 1 within stage, group and bracket. */
  readonly round: number;
  readonly bracket: BracketSide;
  readonly bestOf: number;
  readonly status: MatchStatus;
  readonly decidedBy: DecidedBy | null;
  readonly slots: Pair<Slot>;
  readonly games: readonly Game[];
  /** Null while undecided, after a draw and when both sides forfeited. */
  readonly winnerId: string | null;
  readonly winnerTo: SlotAddress | null;
  readonly loserTo: SlotAddress | null;
  /** Final place in the stage (in its group for `gsl`) of who leaves it through this match; null: nobody does. */
  readonly winnerRank: number | null;
  readonly loserRank: number | null;
}

export interface Group {
  readonly number: number;
  /** In seed order. */
  readonly participantIds: readonly string[];
  readonly ruling: Ruling | null;
}

/** Decided by staff between participants who are tied on every tie-break before seed and random. */
export interface Ruling {
  /** Ids, best first. */
  readonly order: readonly string[];
  /** Those of `order`, by the ties that they were in; missing in rulings from before ties were kept. */
  readonly ties?: readonly (readonly string[])[];
  /** For everyone to read. */
  readonly reason: string;
}

export interface Stage {
  readonly number: number;
  readonly type: StageType;
  /** Empty in a knockout stage; Swiss and a plain round robin have one. */
  readonly groups: readonly Group[];
  /** Why a Swiss stage ended before its last round. */
  readonly endedEarly: 'no_legal_pairing' | null;
}

export interface Participant {
  readonly participantId: string;
  readonly seed: number;
  /** What lots are drawn with, the same in every copy of a tournament; missing: their id. */
  readonly lot?: string;
}

/** A participant who plays no more. */
export interface Departure {
  readonly participantId: string;
  readonly type: 'withdrawn' | 'disqualified';
  /** Stage they left in; who leaves a group stage does not advance from it. */
  readonly stage: number;
  /** Last Swiss round they were there to be drawn in, one more than were played after the last; 0 in other stages. */
  readonly round: number;
}

/** The whole state of a draw. JSON-serializable; never mutated by the engine. */
export interface Bracket {
  readonly format: Format;
  readonly options: CompleteOptions;
  readonly randomSeed: string;
  /** In seed order, seeds from 1 without gaps. */
  readonly participants: readonly Participant[];
  readonly stages: readonly Stage[];
  /** In the order of their numbers. */
  readonly matches: readonly Match[];
  /** In the order they left. */
  readonly departures: readonly Departure[];
}

export const TIEBREAKERS = [
  'points',
  'wins',
  'head_to_head',
  'game_difference',
  'games_won',
  'score_difference',
  'scores_for',
  'rounds_played',
  'buchholz',
  'median_buchholz',
  'sonneborn_berger',
  'opponent_match_win_percentage',
  'game_win_percentage',
  'opponent_game_win_percentage',
  'difficulty',
  'seed',
  'random',
] as const;

export type TiebreakerName = (typeof TIEBREAKERS)[number];

/** Sets the best-of of some matches; of several that fit a match, the last one wins. */
export interface BestOfOverride {
  readonly bracket: BracketSide;
  /** From 1 within the bracket; neither this nor `roundsFromEnd`: all of its rounds. */
  readonly round?: number;
  /** 1 is the last round of the bracket. */
  readonly roundsFromEnd?: number;
  readonly bestOf: number;
}

export interface GroupAssignment {
  readonly participantId: string;
  readonly group: number;
}

/** Options with every default filled in. Those that a format does not know have no effect on it. */
export interface CompleteOptions {
  readonly bestOf: number;
  readonly bestOfOverrides: readonly BestOfOverride[];
  readonly thirdPlace: boolean;
  readonly grandFinalReset: boolean;
  readonly legs: 1 | 2;
  readonly groups: number;
  readonly groupAssignments: readonly GroupAssignment[];
  readonly advancePerGroup: number;
  readonly groupFormat: 'round_robin' | 'gsl';
  readonly knockoutFormat: KnockoutFormat;
  readonly rounds: number;
  /** Both or neither: Counter-Strike Major rules. */
  readonly winsToAdvance: number | null;
  readonly lossesToEliminate: number | null;
  /** 0: no playoffs. */
  readonly playoffs: number;
  readonly pointsForWin: number;
  readonly pointsForDraw: number;
  readonly pointsForLoss: number;
  readonly tiebreakers: readonly TiebreakerName[];
}

/** Options as an organizer gives them. */
export type FormatOptions = { readonly [Key in keyof CompleteOptions]?: CompleteOptions[Key] | undefined };
