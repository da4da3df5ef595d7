/** What each list asks for first, the same on the server that prefetches it and in the browser that shows it. */
export const myTeamsInput = { page: 1, limit: 100 };
/** Teams that the viewer may register. */
export const captainedTeamsInput = { page: 1, limit: 100, role: 'captain' as const };
export const myInvitationsInput = { page: 1, limit: 50 };
export const teamInvitationsInput = (teamId: string) => ({ teamId, page: 1, limit: 25 });
export const teamRegistrationsInput = (teamId: string) => ({ teamId, page: 1, limit: 25 });

/** How often what has no notices of its own is read again while it is looked at, in milliseconds. */
export const refetchIntervalMs = 30_000;
