import type { Outputs } from '@/trpc/outputs';

export type Tournament = Outputs['tournaments']['get'];
export type ParticipantCounts = Outputs['participants']['counts'];
/** An entrant as a row of the desk. */
export type DeskRow = Outputs['participants']['desk']['items'][number];
export type DeskPage = Outputs['participants']['desk'];
/** What the desk does to entrants, one or many; substituting is done from the roster. */
export type DeskAction = Exclude<DeskRow['actions'][number], 'substitute'>;
/** An entrant in full, as its managers see it. */
export type ParticipantDetail = Outputs['participants']['read'];
export type HistoryEntry = Outputs['participants']['history']['items'][number];

/** What an import does or did, line by line. */
export type ImportResult = Outputs['participants']['importPreview'];

/** Where the next of the desk's rows begin. */
export const nextPage = (page: DeskPage) => page.nextCursor;

/** Input of the desk's rows, the same on the server that prefetches the first ones. */
export function deskInput(tournamentId: string) {
  return { tournamentId, limit: 500 };
}
