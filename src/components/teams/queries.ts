/** What each list asks for first, the same on the server that prefetches it and in the browser that shows it. */
export const ownTeams = { page: 1, limit: 100 };
/** Teams that the viewer may register. */
export const captainedTeams = { page: 1, limit: 100, role: 'captain' as const };
export const ownInvitations = { page: 1, limit: 50 };
export const openInvitations = (teamId: string) => ({ teamId, page: 1, limit: 25 });
export const teamEntries = (teamId: string) => ({ teamId, page: 1, limit: 25 });

/** How often what has no notices of its own is read again while it is looked at, in milliseconds. */
export const rereadEvery = 30_000;
