import { createCipheriv, createHmac } from 'node:crypto';
import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import type { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseCidr } from '@/server/delivery/outbound/addresses';
import { createGuardedAgent, originFor } from '@/server/delivery/outbound/agent';
import { BoundedTransport, tlsMs } from '@/server/delivery/outbound/handshake';
import { sendRequest } from '@/server/delivery/outbound/post';
import { testCertificate } from '@/test/certificate';
import { occupy } from '@/test/processor';
import { until } from '@/test/receiver';

/** Receivers that go on sending once they have responded. */

const response = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const servers: net.Server[] = [];
const sockets = new Set<net.Socket>();
let agent: Agent;

beforeEach(() => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  agent = createGuardedAgent({ allowed: [parseCidr('127.0.0.0/8')], httpAnywhere: true });
});

afterEach(async () => {
  await agent.destroy();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  vi.unstubAllEnvs();
});

async function listen(server: net.Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

const post = (url: string) =>
  sendRequest(agent, { url, method: 'POST', headers: {}, body: '{}', timeoutMs: 10_000 }, 'prj_1');

/** Output of HKDF-Expand-Label (RFC 8446, 7.1). */
function expand(secret: Buffer, label: string, length: number): Buffer {
  const name = `tls13 ${label}`;
  const info = Buffer.concat([Buffer.from([0, length, name.length]), Buffer.from(name), Buffer.from([0, 1])]);
  return createHmac('sha256', secret).update(info).digest().subarray(0, length);
}

const content = { handshake: 22, data: 23 };

/** A record of TLS 1.3 as a server would encrypt it. */
function encrypt(secret: Buffer, sequence: number, type: number, messages: Buffer): Buffer {
  const header = Buffer.from([23, 3, 3, 0, 0]);
  header.writeUInt16BE(messages.length + 17, 3);
  const nonce = expand(secret, 'iv', 12);
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ sequence) >>> 0, 8);
  const cipher = createCipheriv('aes-128-gcm', expand(secret, 'key', 16), nonce).setAAD(header);
  const encrypted = Buffer.concat([cipher.update(messages), cipher.update(Buffer.from([type])), cipher.final()]);
  return Buffer.concat([header, encrypted, cipher.getAuthTag()]);
}

/** The shortest session ticket that there is, 18 bytes with its header. */
const ticket = Buffer.from([4, 0, 0, 14, 0, 0, 1, 0, 1, 2, 3, 4, 0, 0, 1, 7, 0, 0]);

/** A receiver over TLS that can send session tickets at any time: it takes over from a real server behind it. */
async function ticketReceiver() {
  let secret = Buffer.alloc(0);
  /** The next record; the real server has sent two tickets with the handshake, each in one. */
  let sequence = 2;
  let hasTakenOver = false;
  let ticketsBehind = 0;
  const inner = tls.createServer({ ...testCertificate, minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256' });
  inner.on('secureConnection', (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      if (!hasTakenOver) {
        sequence += 1;
        socket.write(response);
        return;
      }
      const front = fronts.at(-1);
      front?.cork();
      send(content.data, Buffer.from(response));
      for (let left = ticketsBehind; left > 0; left -= 800) sendTickets(800);
      front?.uncork();
    });
  });
  inner.on('keylog', (line) => {
    const [label, , value] = line.toString().trim().split(' ');
    if (label !== 'SERVER_TRAFFIC_SECRET_0') return;
    secret = Buffer.from(value ?? '', 'hex');
    sequence = 2;
    hasTakenOver = false;
  });
  const innerPort = await listen(inner);
  const fronts: net.Socket[] = [];
  const port = await listen(
    net.createServer((front) => {
      const behind = net.connect(innerPort, '127.0.0.1').on('error', () => undefined);
      fronts.push(front);
      front.pipe(behind).pipe(front);
    }),
  );
  function send(type: number, messages: Buffer) {
    fronts.at(-1)?.write(encrypt(secret, sequence, type, messages));
    sequence += 1;
  }
  function sendTickets(count: number) {
    hasTakenOver = true;
    send(content.handshake, Buffer.concat(Array(count).fill(ticket)));
  }
  return {
    url: `https://127.0.0.1:${port}/`,
    fronts,
    sendTickets,
    sendBehindResponses(count: number) {
      hasTakenOver = true;
      ticketsBehind = count;
    },
  };
}

/** Counts the session tickets that TLS has read on each connection that is made meanwhile. */
function countTickets() {
  const counts: number[] = [];
  const connected = (message: unknown) => {
    const index = counts.push(0) - 1;
    (message as { socket: tls.TLSSocket }).socket.on('session', () => {
      counts[index] = (counts[index] ?? 0) + 1;
    });
  };
  diagnostics.subscribe('undici:client:connected', connected);
  return { counts, end: () => diagnostics.unsubscribe('undici:client:connected', connected) };
}

describe('a connection without a request', () => {
  it('ends before TLS reads a flood of session tickets, and the next request makes another', async () => {
    const receiver = await ticketReceiver();
    const tickets = countTickets();
    expect(await post(receiver.url)).toMatchObject({ succeeded: true });
    await until(() => tickets.counts[0] === 2);
    receiver.sendTickets(800);
    await until(() => receiver.fronts[0]?.destroyed === true || (tickets.counts[0] ?? 0) > 2);
    expect(tickets.counts).toEqual([2]);
    expect(await post(receiver.url)).toMatchObject({ succeeded: true, errorClass: null });
    expect(receiver.fronts).toHaveLength(2);
    tickets.end();
  });

  it('ends when a flood begins with the last bytes of a response', async () => {
    const receiver = await ticketReceiver();
    const tickets = countTickets();
    await post(receiver.url);
    // The connection can be reused in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    receiver.sendBehindResponses(12_000);
    await post(receiver.url);
    await until(() => receiver.fronts[0]?.destroyed === true);
    // 32 KiB of what is not the response, and the rest of a record that had begun.
    expect(tickets.counts[0]).toBeLessThan((48 * 1024) / ticket.byteLength);
    receiver.sendBehindResponses(0);
    expect(await post(receiver.url)).toMatchObject({ succeeded: true });
    expect(receiver.fronts).toHaveLength(2);
    tickets.end();
  });

  it('may receive a few, whose time counts for the next request', async () => {
    const finish = vi.spyOn(BoundedTransport.prototype, 'finishHandshake');
    const receiver = await ticketReceiver();
    const tickets = countTickets();
    const first = await post(receiver.url);
    await until(() => tickets.counts[0] === 2);
    receiver.sendTickets(30);
    await until(() => tickets.counts[0] === 32);
    const second = await post(receiver.url);
    expect(second).toMatchObject({ succeeded: true });
    const [bounded] = finish.mock.contexts as BoundedTransport[];
    expect(receiver.fronts).toHaveLength(1);
    expect(bounded && first.heldUpMs + second.heldUpMs).toBeCloseTo(bounded ? tlsMs(bounded.transport) : 0, 5);
    finish.mockRestore();
    tickets.end();
  });

  it.each(['http:', 'https:'])('ends when empty lines go on arriving over %s', async (protocol) => {
    let receiver: net.Socket | null = null;
    const accept = (socket: net.Socket) => {
      receiver = socket;
      socket.on('error', () => undefined);
      socket.on('data', () => socket.write(response));
    };
    const server = protocol === 'http:' ? net.createServer(accept) : tls.createServer(testCertificate, accept);
    const url = `${protocol}//127.0.0.1:${await listen(server)}/`;
    expect(await post(url)).toMatchObject({ succeeded: true });
    const [socket] = sockets;
    (receiver as net.Socket | null)?.write('\r\n'.repeat(1_000));
    await until(() => socket?.destroyed === true, 3_000);
    expect(await post(url)).toMatchObject({ succeeded: true });
    expect(sockets.size).toBe(2);
  });
});

it('a connection ends with a response once TLS has kept much of what it carried to itself', async () => {
  let connections = 0;
  const server = tls.createServer(testCertificate, (socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', async () => {
      // Each byte is a record of its own.
      for (const piece of ['HTTP/1.1 200 OK\r\nx: ', ...'a'.repeat(500), '\r\ncontent-length: 2\r\n\r\nok'])
        await new Promise((written) => socket.write(piece, written));
    });
  });
  const url = `https://127.0.0.1:${await listen(server)}/`;
  const used: number[] = [];
  for (let sent = 0; sent < 8; sent += 1) {
    expect(await post(url)).toMatchObject({ succeeded: true });
    used.push(connections);
    // The connection can be reused in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(used).toEqual([1, 1, 1, 1, 1, 1, 2, 2]);
});

describe.each(['http:', 'https:'])('over %s', (protocol) => {
  /** A receiver that responds when the test does. @returns its URL, and the connections with a request, in order */
  async function holdingReceiver() {
    const held: net.Socket[] = [];
    const accept = (socket: net.Socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => held.push(socket));
    };
    const server = protocol === 'http:' ? net.createServer(accept) : tls.createServer(testCertificate, accept);
    return { url: `${protocol}//127.0.0.1:${await listen(server)}/`, held };
  }

  it('a project whose responses take long to read delays no other one', async () => {
    const { url, held } = await holdingReceiver();
    const read: string[] = [];
    async function ask(name: string, projectId: string, ms: number) {
      const origin = originFor(new URL(url), projectId);
      const count = held.length;
      agent.dispatch(
        { origin, path: '/', method: 'GET' },
        {
          onRequestStart: () => undefined,
          onResponseData: () => occupy(ms),
          onResponseEnd: () => void read.push(name),
          onResponseError: (_controller, error) => void read.push(error.message),
        },
      );
      await until(() => held.length > count);
    }
    await ask('costly', `hostile ${protocol}`, 15);
    await ask('of the same project', `hostile ${protocol}`, 0);
    await ask('other', `other ${protocol}`, 0);
    held[0]?.write(response);
    await until(() => read.length === 1);
    held[1]?.write(response);
    held[2]?.write(response);
    await until(() => read.length === 3);
    expect(read).toEqual(['costly', 'other', 'of the same project']);
  });

  it('a response ends that has more than 32 KiB before its final head', async () => {
    const { url, held } = await holdingReceiver();
    const early = `HTTP/1.1 103 Early Hints\r\n${'a: b\r\n'.repeat(2_500)}\r\n`;
    const answers = [1, 3].map(async (count, index) => {
      await until(() => held.length > index);
      held[index]?.write(`${early.repeat(count)}HTTP/1.1 200 OK\r\ncontent-length: 65536\r\n\r\n${'a'.repeat(65_536)}`);
    });
    expect(await post(url)).toMatchObject({ succeeded: true });
    expect(await post(url)).toMatchObject({ errorClass: 'invalid_response', status: null, isOdd: true });
    await Promise.all(answers);
  });
});

it('survives what a connection still says once it has closed', async () => {
  const port = await listen(tls.createServer(testCertificate));
  let connection: net.Socket | undefined;
  const connected = (message: unknown) => {
    connection = (message as { socket: net.Socket }).socket;
  };
  diagnostics.subscribe('undici:client:connected', connected);
  const result = post(`https://127.0.0.1:${port}/`);
  await until(() => connection !== undefined);
  diagnostics.unsubscribe('undici:client:connected', connected);
  // In this order Node says it after a reset, now and then.
  connection?.emit('close', false);
  connection?.emit('error', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  connection?.emit('end');
  expect(await result).toMatchObject({ errorClass: 'reset' });
});
