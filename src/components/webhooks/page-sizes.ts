/** Rows a page, the same where the server prefetches and where the browser reads on. */
export const subscriptionsPerPage = 50;
export const deliveriesPerPage = 25;
