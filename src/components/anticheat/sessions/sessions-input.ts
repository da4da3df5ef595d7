/** How often the state of sessions and their clients is read again, in milliseconds: as often as clients beat. */
export const sessionsRefreshMs = 10_000;

/** The first page of the sessions of a project, as the page renders it. */
export const sessionsInput = (projectId: string, page: number, isRunning?: true) => ({
  projectId,
  page,
  limit: 25,
  ...(isRunning ? { isRunning } : {}),
});

/** The sessions of a match: more than one when one was ended too early. */
export const matchSessionsInput = (projectId: string, matchId: string) => ({ projectId, matchId, page: 1, limit: 5 });

export const sessionPlayersInput = (projectId: string, sessionId: string, page: number) => ({
  projectId,
  sessionId,
  page,
  limit: 25,
});
