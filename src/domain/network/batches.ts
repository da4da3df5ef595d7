/** Procedures that one tRPC request may call; the server runs them at the same time. */
export const maxBatchSize = 5;
/** Of these, how many may read or change a whole draw, whose answer can have five megabytes; our pages ask for two. */
export const maxBatchDraws = 2;
