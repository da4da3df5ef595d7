/** Longest wait for one response of the Inngest server. */
const timeoutMs = 3_000;
/**
 * So long after a failure the next events fail at once: the SDK repeats them, and would wait for a server that hangs
 * each time.
 */
const restMs = 1_000;

/** How this process talks to an Inngest server, and whether that works. */
export type ServerConnection = {
  /** A `fetch` for the SDK that does not wait for long. */
  fetch: typeof fetch;
  /** Whether the last request succeeded; true before the first one. */
  reachable: () => boolean;
};

/** Makes a connection; nothing is sent yet. */
export function createServerConnection(): ServerConnection {
  let failedAt: number | null = null;

  return {
    reachable: () => failedAt === null,
    async fetch(input, init) {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      const resting = failedAt !== null && performance.now() - failedAt < restMs;
      if (resting && pathname.startsWith('/e/')) throw new Error('The Inngest server did not respond a moment ago');
      try {
        const response = await fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
        // Read here, because a server can also hang after the headers.
        const body = await response.arrayBuffer();
        failedAt = response.status >= 500 ? performance.now() : null;
        const { status, statusText, headers } = response;
        return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
      } catch (error) {
        failedAt = performance.now();
        throw error;
      }
    },
  };
}
