import type { Outputs } from '@/trpc/outputs';

export type BracketData = Outputs['matches']['bracket'];
export type BracketStage = BracketData['stages'][number];
export type BracketRound = BracketStage['rounds'][number];
export type BracketMatch = BracketRound['matches'][number];
/** What a live notice says has changed in a bracket. */
export type BracketPatch = {
  version: number;
  matches: BracketMatch[];
  tables: { stageId: string; standings: NonNullable<BracketStage['standings']> }[];
  /** Whether tables changed that are not sent, because they are large. */
  hasOtherTables: boolean;
};
export type MatchSlot = BracketMatch['slots'][number];
export type SlotSource = MatchSlot['source'];
export type StandingsData = Outputs['matches']['standings'];
export type StandingsTable = StandingsData['stages'][number];
export type StandingsRow = StandingsTable['groups'][number]['rows'][number];
/** The standings, as much of them as a page shows. */
export type StandingsPage = Outputs['matches']['standingsPage'];
