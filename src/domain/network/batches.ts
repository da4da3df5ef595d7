/** Procedures that one tRPC request may call; the server runs them at the same time. */
export const maxBatchSize = 5;
/** Of these, how many whole draws they may concern; our pages ask for one, by its id and by its slug. */
export const maxBatchDraws = 2;
