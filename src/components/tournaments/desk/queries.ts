import type { Outputs } from '@/trpc/outputs';

export type Tournament = Outputs['tournaments']['get'];
export type ParticipantCounts = Outputs['participants']['counts'];
/** A participant as a row of the desk. */
export type DeskRow = Outputs['participants']['desk']['items'][number];
export type DeskPage = Outputs['participants']['desk'];
/** An action on one or many participants. Substitutions are made from the roster instead. */
export type DeskAction = Exclude<DeskRow['actions'][number], 'substitute'>;
/** A participant in full, as organizers see it. */
export type ParticipantDetail = Outputs['participants']['read'];
export type HistoryEntry = Outputs['participants']['history']['items'][number];

/** The result of an import or its preview, line by line. */
export type ImportResult = Outputs['participants']['importPreview'];

/** The cursor of the next page of rows. */
export const nextPage = (page: DeskPage) => page.nextCursor;

/** Input of the desk's rows; server and browser must use the same to share the cache. */
export function deskInput(tournamentId: string) {
  return { tournamentId, limit: 500 };
}
