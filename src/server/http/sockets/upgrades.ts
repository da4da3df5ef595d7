import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

const hmrPath = '/_next/';

function isHotReload(req: IncomingMessage): boolean {
  return req.headers.upgrade?.toLowerCase() === 'websocket' && (req.url ?? '').startsWith(hmrPath);
}

/** Headers by which a client offers another protocol. */
const offers = new Set(['connection', 'upgrade', 'http2-settings']);

/** The request again, as it would have come without the offer. */
function plainRequest(req: IncomingMessage): string {
  const lines = [`${req.method} ${req.url} HTTP/1.1`];
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index] ?? '';
    if (!offers.has(name.toLowerCase())) lines.push(`${name}: ${req.rawHeaders[index + 1]}`);
  }
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`;
}

/** Ends both when either is gone. */
function join(one: Duplex, other: Duplex): void {
  one.pipe(other).pipe(one);
  for (const [each, peer] of [
    [one, other],
    [other, one],
  ] as const) {
    each.on('error', () => peer.destroy());
    each.on('close', () => peer.destroy());
  }
}

/**
 * Keeps `Upgrade` headers from taking a request out of HTTP. By them a client only offers another protocol (`curl --http2`
 * does), and a server that wants none answers as always. Node does so as long as nobody listens for upgrades, which Next.js
 * does from its first page on. So it gets a server of its own to listen on, one that has no port. In development the
 * socket of its hot reload is handed to it there, and any other request comes in again without the offer.
 * @returns the server to give to Next.js
 */
export function guardUpgrades(server: Server, dev: boolean): Server {
  const stage = createServer();
  if (!dev) return stage;
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (isHotReload(req)) {
      stage.emit('upgrade', req, socket, head);
      return;
    }
    const again = connect(req.socket.localPort ?? 0, req.socket.localAddress);
    again.write(plainRequest(req));
    again.write(head);
    join(socket, again);
  });
  return stage;
}
