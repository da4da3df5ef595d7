/** What each list asks for first, the same on the server that prefetches it and in the browser that shows it. */
export const firstMembers = (projectId: string) => ({ projectId, page: 1, limit: 50 });
export const firstInvitations = (projectId: string) => ({ projectId, page: 1, limit: 25 });
export const firstKeys = (projectId: string) => ({ projectId, page: 1, limit: 25 });
export const firstAudit = (projectId: string) => ({ projectId, page: 1, limit: 50 });
