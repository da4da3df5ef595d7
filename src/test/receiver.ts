import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = { at: number; method: string; url: string; headers: IncomingHttpHeaders; body: string };

/** Responds to a request; the default is 200. */
export type Respond = (request: Received, response: ServerResponse) => void;

/** A webhook receiver on a free port of 127.0.0.1 that remembers every request in full. */
export async function startReceiver(answer: Respond = (_request, response) => response.end('ok')) {
  const received: Received[] = [];
  let sockets = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const entry = { at: Date.now(), method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(entry);
      answer(entry, response);
    });
  });
  server.on('connection', () => {
    sockets += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    received,
    port: (server.address() as AddressInfo).port,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    /** Ids of the events that arrived, repeated for duplicates. */
    eventIds: () => received.map((entry) => JSON.parse(entry.body).event.id as string),
    /** Connections made to it so far. */
    sockets: () => sockets,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Polls until `condition` holds. @throws Error after `ms` */
export async function until(condition: () => boolean | Promise<boolean>, ms = 90_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('The condition was not met in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
