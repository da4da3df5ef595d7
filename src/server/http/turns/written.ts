import type { ServerResponse } from 'node:http';

type Write = (...parameters: unknown[]) => unknown;

/**
 * Answers a request that is written to `res` once it is whole. What it took is known before its first byte is written, and must not
 * wait for a client that reads slowly. Nor must it wait for one that has gone: a write to a closed response is never taken, and
 * whoever waits until it is waits for good.
 * @returns when the response begins to be written, whether or not anybody is there to read it, or the work has ended without
 */
export async function untilWritten(res: ServerResponse, answer: () => Promise<void>): Promise<void> {
  const written = new Promise<void>((resolve) => {
    const response = res as unknown as Record<'writeHead' | 'write' | 'end', Write>;
    for (const method of ['writeHead', 'write', 'end'] as const) {
      const write = response[method].bind(res);
      response[method] = (...parameters) => {
        resolve();
        return write(...parameters);
      };
    }
  });
  await Promise.race([answer(), written]);
}
