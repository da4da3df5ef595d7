import type { StandingsOutput, StandingsPage } from '@/server/routers/matches/schema';

/** Rows of a list that a page shows: more take longer to render than to read. */
const maxRows = 100;

type Stage = StandingsOutput['stages'][number];

/** Groups on a page: as many whole ones as have so many rows. */
function groupsOnPage({ groups }: Stage): number {
  const largest = groups.reduce((most, { rows }) => Math.max(most, rows.length), 1);
  return Math.max(1, Math.floor(maxRows / largest));
}

function toTable(stage: Stage, page: number): StandingsPage['stages'][number] {
  const { groups, ...facts } = stage;
  const [single] = groups;
  const isSingle = groups.length === 1 && single !== undefined;
  const limit = isSingle ? maxRows : groupsOnPage(stage);
  const from = (page - 1) * limit;
  const shown = isSingle
    ? [{ ...single, rows: single.rows.slice(from, from + limit), next: single.rows[from + limit] ?? null }]
    : groups.slice(from, from + limit).map((group) => ({ ...group, next: null }));
  return {
    ...facts,
    position: isSingle
      ? { page, limit, total: single.rows.length, of: 'rows' }
      : { page, limit, total: groups.length, of: 'groups' },
    groups: shown.map(({ ties, ...group }) => ({ ...group, hasTies: ties.length > 0 })),
  };
}

/** The part of the standings that a page shows. @param pages which page of the final places, and which of the tables */
export function toStandingsPage(
  { tournamentId, final, stages }: StandingsOutput,
  pages: { places: number; table: number },
): StandingsPage {
  const from = (pages.places - 1) * maxRows;
  return {
    tournamentId,
    final: { page: pages.places, limit: maxRows, total: final.length, items: final.slice(from, from + maxRows) },
    stages: stages.map((stage) => toTable(stage, pages.table)),
  };
}
