/** What `participants.list` is asked for the page of entrants: server and browser must ask the same. */
export function participantListInput(slug: string, q: string | null | undefined, page: string | null | undefined) {
  const search = q?.trim().slice(0, 100);
  return {
    tournamentId: slug,
    registrationStatus: ['approved' as const],
    ...(search ? { search } : {}),
    page: Math.min(Math.max(1, Math.floor(Number(page)) || 1), 10_000),
    limit: 60,
  };
}
