type Given = string | string[] | null | undefined;

function pageOf(given: Given): number {
  const page = Number(Array.isArray(given) ? given[0] : given);
  return Math.min(Math.max(1, Math.floor(page) || 1), 10_000);
}

/**
 * Input of `matches.standingsPage` for the standings page; server and browser must use the same to share the cache.
 * @param places which page of the final places, and `table` which of the tables, as they are in the address
 */
export function standingsInput(slug: string, places: Given, table: Given) {
  return { tournamentId: slug, places: pageOf(places), table: pageOf(table) };
}
