/** The first page of each list. The server prefetches it, so the browser must ask for exactly the same. */
export const membersInput = (projectId: string) => ({ projectId, page: 1, limit: 50 });
export const invitationsInput = (projectId: string) => ({ projectId, page: 1, limit: 25 });
export const apiKeysInput = (projectId: string) => ({ projectId, page: 1, limit: 25 });
export const auditLogInput = (projectId: string) => ({ projectId, page: 1, limit: 50 });
