import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pool } from '@/server/db';

/** One side of the comparison, in its own process: `ours`, or the `floor` it is measured against. */

/** Bare Node: what the parent says goes to every stream, in a message of the size of ours. */
async function floor(): Promise<string> {
  const streams = new Set<ServerResponse>();
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: live.resumed\n\n');
    streams.add(res);
  });
  const filling = ' '.repeat(2_500);
  process.on('message', (word: string) => {
    for (const stream of streams) stream.write(`data: ${word}${filling}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ours(): Promise<string> {
  let reads = 0;
  const query = pool.query.bind(pool) as (...args: unknown[]) => unknown;
  Object.assign(pool, {
    query: (...args: unknown[]) => {
      if (JSON.stringify(args[0] ?? '').includes('play_by_tournament')) reads += 1;
      return query(...args);
    },
  });
  process.on('message', () => process.send?.(reads));
  const { startServer } = await import('@/server/http/server');
  return (await startServer({ port: 0, host: '127.0.0.1', withNext: false })).url;
}

process.send?.(await (process.argv[2] === 'floor' ? floor() : ours()));
