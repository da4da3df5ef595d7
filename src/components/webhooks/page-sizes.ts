/** Rows per page. The server prefetches the first page with the same sizes. */
export const subscriptionsPerPage = 50;
export const deliveriesPerPage = 25;
