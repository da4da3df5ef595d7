import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const typeA = 1;
const notFound = 3;

/** The name and type that a DNS query asks for, and where its question ends. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function response(query: Buffer, end: number, type: number, address: string | string[] | null): Buffer {
  const found = address !== null && type === typeA ? [address].flat() : [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (address === null ? notFound : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  const question = query.subarray(12, end);
  const answers = found.map((each) => [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...each.split('.').map(Number)]);
  return Buffer.concat([header, question, ...answers.map((answer) => Buffer.from(answer))]);
}

/**
 * A name server. `answer` gives the IPv4 addresses of a name, null where there is no such name, or undefined to never answer.
 * @returns its address, and the names that it was asked for
 */
export async function startNameServer(answer: (name: string) => string | string[] | null | undefined) {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, peer) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    const address = answer(name);
    if (address !== undefined) socket.send(response(query, end, type, address), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}
