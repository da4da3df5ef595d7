/** What each list asks for first, the same on the server that prefetches it and in the browser that shows it. */
export const membersInput = (projectId: string) => ({ projectId, page: 1, limit: 50 });
export const invitationsInput = (projectId: string) => ({ projectId, page: 1, limit: 25 });
export const apiKeysInput = (projectId: string) => ({ projectId, page: 1, limit: 25 });
export const auditLogInput = (projectId: string) => ({ projectId, page: 1, limit: 50 });
