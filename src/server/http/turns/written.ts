import type { ServerResponse } from 'node:http';

/**
 * Answers a request that is written to `res` once it is whole. What it took is known before its first byte is written, and must not
 * wait for a client that reads slowly.
 * @returns when the response begins to be written, or the work has ended without
 */
export async function untilWritten(res: ServerResponse, answer: () => Promise<void>): Promise<void> {
  const written = new Promise<void>((resolve) => {
    const writeHead = res.writeHead.bind(res) as (...parameters: unknown[]) => ServerResponse;
    res.writeHead = (...parameters: unknown[]) => {
      resolve();
      return writeHead(...parameters);
    };
  });
  await Promise.race([answer(), written]);
}
