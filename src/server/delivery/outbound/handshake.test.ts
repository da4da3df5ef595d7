import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import tls from 'node:tls';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { parseCidr } from '@/server/delivery/outbound/addresses';
import { createGuardedAgent, originFor } from '@/server/delivery/outbound/agent';
import { BoundedTransport } from '@/server/delivery/outbound/handshake';
import { HandshakeTurns } from '@/server/delivery/outbound/handshake-turns';
import { sendRequest } from '@/server/delivery/outbound/post';
import { testCertificate } from '@/test/certificate';
import { occupy } from '@/test/processor';
import { until } from '@/test/receiver';

/** Servers that make a TLS handshake expensive for who connects. */

const servers: net.Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))));

/** A TLS server. @returns its port, and how many connections it has open */
async function serve(options: tls.TlsOptions) {
  const server = tls.createServer({ ...testCertificate, ...options }, (socket) => socket.on('error', () => undefined));
  server.on('tlsClientError', () => undefined);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const open = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
  return { port: (server.address() as AddressInfo).port, open };
}

async function get(port: number) {
  const agent = localAgent();
  const url = `https://127.0.0.1:${port}/`;
  const result = await sendRequest(agent, { url, method: 'GET', headers: {}, body: null, timeoutMs: 10_000 });
  await agent.destroy();
  return result;
}

/** The numbers of two bytes each in a list that begins with its length. */
function numbersAt(hello: Buffer, at: number): number[] {
  const count = hello.readUInt16BE(at) / 2;
  return Array.from({ length: count }, (_, index) => hello.readUInt16BE(at + 2 + 2 * index));
}

/** What a client offers in the first message of a handshake (RFC 8446, 4.1.2). */
function readHello(hello: Buffer): { suites: number[]; groups: number[] } {
  const suitesAt = 44 + hello.readUInt8(43);
  let at = suitesAt + 2 + hello.readUInt16BE(suitesAt);
  at += 3 + hello.readUInt8(at);
  while (hello.readUInt16BE(at) !== 10) at += 4 + hello.readUInt16BE(at + 2);
  return { suites: numbersAt(hello, suitesAt), groups: numbersAt(hello, at + 4) };
}

it('offers no key exchange whose numbers the server decides, and none that takes long', async () => {
  const hellos: Buffer[] = [];
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (hello) => {
      hellos.push(hello);
      socket.destroy();
    });
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  expect(await get((server.address() as AddressInfo).port)).toMatchObject({ succeeded: false });
  const { suites, groups } = readHello(hellos[0] ?? Buffer.alloc(0));
  // TLS_DHE_*, by the registry of IANA; finite fields are groups from 256 on.
  const dhe = [0x33, 0x39, 0x45, 0x67, 0x6b, 0x88, 0x9e, 0x9f, 0xccaa, 0xc09e, 0xc09f, 0xc0a2, 0xc0a3];
  expect(suites.length).toBeGreaterThan(3);
  expect(suites.filter((suite) => dhe.includes(suite))).toEqual([]);
  expect(groups).toEqual([29, 23, 24, 25]);
});

it.each([
  ['reads a chain of certificates of 8 KiB', 21, 'SELF_SIGNED'],
  ['reads no chain of 11 KiB', 30, 'far more'],
  ['reads no chain that is longer than any real one', 60, 'far more'],
])('%s', async (_name, certificates, message) => {
  const { port, open } = await serve({ cert: testCertificate.cert.repeat(certificates) });
  expect(await get(port)).toMatchObject({
    errorClass: 'tls_error',
    errorMessage: expect.stringContaining(message),
    status: null,
  });
  await until(async () => (await open()) === 0);
});

it.each(['handshakes', 'responses'])(
  'lets a project whose %s last delay no other one, whatever its receivers',
  async (kind) => {
    const accepted: net.Socket[] = [];
    const server = net.createServer((socket) => accepted.push(socket));
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const order: string[] = [];
    const connect = async (receiver: string, projectId: string, ms: number) => {
      const transport = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
      const bounded = new BoundedTransport(transport, projectId, () => false);
      bounded.on('data', () => {
        order.push(receiver);
        occupy(ms);
      });
      await once(transport, 'connect');
      if (kind === 'responses') bounded.finishHandshake(transport);
      connections.push(bounded);
      await until(() => accepted.length === connections.length);
    };
    const connections: BoundedTransport[] = [];
    await connect('one.hostile:443', `hostile ${kind}`, 15);
    await connect('two.hostile:443', `hostile ${kind}`, 0);
    await connect('other:443', `other ${kind}`, 0);
    accepted[0]?.write('.');
    await until(() => order.length === 1);
    accepted[1]?.write('.');
    accepted[2]?.write('.');
    await until(() => order.length === 3);
    for (const connection of connections) connection.destroy();
    expect(order).toEqual(['one.hostile:443', 'other:443', 'two.hostile:443']);
  },
);

it.each([
  ['closed', (socket?: net.Socket) => socket?.end()],
  ['reset', (socket?: net.Socket) => socket?.resetAndDestroy()],
])('passes on what has arrived before its connection was %s, when it is its turn', async (how, act) => {
  const accepted: net.Socket[] = [];
  const server = net.createServer((socket) => accepted.push(socket));
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const passedOn: string[] = [];
  const connect = async (name: string) => {
    const transport = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    const bounded = new BoundedTransport(transport, how, () => false);
    bounded.on('error', () => undefined);
    bounded.on('data', () => {
      passedOn.push(name);
      occupy(15);
    });
    await once(transport, 'connect');
    bounded.finishHandshake(transport);
    return bounded;
  };
  const connections = [await connect('costly'), await connect('ordinary')];
  await until(() => accepted.length === 2);
  accepted[0]?.write('.');
  await until(() => passedOn.length === 1);
  accepted[1]?.write('.');
  await until(() => connections[1]?.transport.bytesRead === 1);
  act(accepted[1]);
  await until(() => connections.at(-1)?.destroyed === true);
  connections[0]?.destroy();
  expect(passedOn).toEqual(['costly', 'ordinary']);
});

it('counts what the last piece of a response took, though the response ends while that is read', async () => {
  const end = vi.spyOn(HandshakeTurns.prototype, 'end');
  const server = net.createServer((socket) => void socket.write('.'));
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const transport = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  const bounded = new BoundedTransport(transport, 'costly end', () => false, false);
  bounded.countResponse();
  bounded.on('readable', () => {
    if (bounded.read() === null) return;
    occupy(15);
    bounded.endResponse();
  });
  await until(() => end.mock.calls.length === 1);
  bounded.destroy();
  expect(end.mock.calls[0]?.[1]).toBeGreaterThanOrEqual(10);
  end.mockRestore();
});

it('counts every connection for its project, even one that no request uses', async () => {
  const goOn = vi.spyOn(HandshakeTurns.prototype, 'goOn');
  const { port } = await serve({});
  const agent = createGuardedAgent({ allowed: [parseCidr('127.0.0.0/8')], httpAnywhere: true });
  const origin = originFor(new URL(`https://127.0.0.1:${port}`), 'prj_1');
  await expect(agent.request({ origin, path: '/', method: 'GET' })).rejects.toThrow('self-signed');
  await agent.destroy();
  expect(new Set(goOn.mock.calls.map(([owner]) => owner))).toEqual(new Set(['prj_1']));
  goOn.mockRestore();
});

/** Reads a response that a server sends byte by byte. @param pauseMs after each byte of the body */
async function readDripped(agent: ReturnType<typeof createGuardedAgent>, body: string, pauseMs: number) {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.setNoDelay(true);
    socket.once('data', async () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
      for (const byte of body) {
        socket.write(byte);
        await setTimeout(pauseMs);
      }
    });
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return sendRequest(agent, { url, method: 'GET', headers: {}, body: null, timeoutMs: 60_000 });
}
const localAgent = () => createGuardedAgent({ allowed: [parseCidr('127.0.0.0/8')], httpAnywhere: true });

it('reads a response that comes byte by byte in few pieces, and whole', async () => {
  const pieces = vi.spyOn(BoundedTransport.prototype, 'push');
  onTestFinished(() => pieces.mockRestore());
  const [agent, body] = [localAgent(), 'x'.repeat(600)];
  const result = await readDripped(agent, body, 2);
  await agent.destroy();
  expect(result).toMatchObject({ status: 200, body });
  // 600 were sent.
  expect(pieces.mock.calls.length).toBeLessThan(120);
});

it('reads on after a response in small pieces, so that it sees whether its connection is closed', async () => {
  const ended = vi.spyOn(BoundedTransport.prototype, 'endResponse');
  onTestFinished(() => ended.mockRestore());
  const [agent, body] = [localAgent(), 'x'.repeat(20)];
  expect(await readDripped(agent, body, 50)).toMatchObject({ status: 200, body });
  await expect.poll(() => ended.mock.calls.length).toBe(1);
  const [reader] = ended.mock.contexts;
  expect(reader instanceof BoundedTransport && reader.transport.isPaused()).toBe(false);
  await agent.destroy();
});
