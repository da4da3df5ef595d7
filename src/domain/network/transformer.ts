/** A value as tRPC sends it. */
export type Sent = { json?: unknown };

/** How tRPC writes inputs and outputs: as JSON and nothing beside it, so that what is undefined is left out. */
export const transformer = {
  serialize: (value: unknown): Sent => ({ json: value }),
  deserialize: (sent: Sent | undefined): unknown => sent?.json,
};
