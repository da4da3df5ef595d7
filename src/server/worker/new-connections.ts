import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** Rounds of the event loop, and milliseconds, that work gives way to new connections at most: those of a flood would never end. */
const maxRounds = 64;
const maxGivingWayMs = 30;
let connections = 0;
/** How many there were when a round had none. */
let connectionsAtRest = 0;

/** Takes note of a new connection. */
export function noteConnection(): void {
  connections += 1;
}

/**
 * Resolves after a round of the event loop without a new connection. Node accepts one in a round, so that rounds have to be short while
 * others wait: behind a thousand that ask for pages, one of somebody else waited for seven seconds.
 */
export async function letConnectionsIn(): Promise<void> {
  if (connections === connectionsAtRest) return;
  const until = performance.now() + maxGivingWayMs;
  await setImmediate();
  for (let round = 0; round < maxRounds && connections !== connectionsAtRest; round += 1) {
    if (performance.now() > until) return;
    const before = connections;
    await setImmediate();
    if (connections === before) connectionsAtRest = before;
  }
}
