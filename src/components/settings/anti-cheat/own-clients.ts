/** A player's clients in one project: more than an account can have by default. */
export const ownClientsInput = (projectId: string) => ({ projectId, page: 1, limit: 100 });

/** How often pages read the state of clients again, in milliseconds: as often as clients beat. */
export const ownClientsRefreshMs = 10_000;

/** A player's clients in every project. */
export const allClientsInput = (page: number) => ({ page, limit: 25 });
