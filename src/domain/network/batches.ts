/** Procedures that one tRPC request may call; the server runs them at the same time. */
export const maxBatchSize = 5;
