/** Input of `participants.list` for the participants page; server and browser must use the same to share the cache. */
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
