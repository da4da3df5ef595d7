/** Inputs of the team queries; server and browser must use the same to share the cache. */
export const myTeamsInput = { page: 1, limit: 100 };
/** Teams the viewer can register, as their captain. */
export const captainedTeamsInput = { page: 1, limit: 100, role: 'captain' as const };
export const myInvitationsInput = { page: 1, limit: 25 };
export const teamInvitationsInput = (teamId: string) => ({ teamId, page: 1, limit: 25 });
export const teamRegistrationsInput = (teamId: string) => ({ teamId, page: 1, limit: 25 });

/** How often queries without live updates refetch while they are shown, in milliseconds. */
export const refetchIntervalMs = 30_000;
