/** Rows a page, the same where the server prefetches and where the browser reads on. */
export const listLimit = 50;
export const deliveriesLimit = 25;
