import '@/test/store';
import { createHash, randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { originOf, turnOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { db } from '@/server/db';
import { checked, readParts, reads } from '@/server/http/media';
import { confirmUpload, grantUpload } from '@/server/storage/media';
import { checkStore, headObject, presignDownload } from '@/server/storage/object-store';
import { FairQueue } from '@/server/worker/fair-queue';
import { gateOf, wantThread } from '@/server/worker/thread-share';
import { mostSentInRound } from '@/test/chunks';
import { makeProject, makeTournament } from '@/test/factories';
import { png } from '@/test/images';
import { setupTestServer } from '@/test/server';
import { startSilentServer } from '@/test/silent-server';

const api = setupTestServer();

type Row = { sizeBytes: number };

/** A file of a banner that is stored and ready. */
async function storeBanner(bytes: Buffer) {
  const { project, owner } = await makeProject();
  const { id: subjectId } = await makeTournament(project.id);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const request = { contentType: 'image/png', sizeBytes: bytes.length, sha256, createdById: owner.id, subjectId };
  const { id, key, url, requiredHeaders } = await grantUpload({
    ...request,
    projectId: project.id,
    kind: 'tournament_banner',
  });
  const target = url.replace(env.PUBLIC_URL ?? '', api.url);
  const { status } = await fetch(target, { method: 'PUT', headers: requiredHeaders, body: new Uint8Array(bytes) });
  expect(status).toBe(200);
  expect(await confirmUpload(id)).toBe('ready');
  return { id, key };
}

test('clients that do not read a file stop neither other files nor what else needs the store', async () => {
  // More than the operating system takes over for a connection whose client reads nothing.
  const large = await storeBanner(png(5 * 1024 * 1024 - 1));
  const small = await storeBanner(png(1_000));
  const sockets: Socket[] = [];
  const { hostname, port } = new URL(api.url);
  for (let count = 0; count < 70; count += 1) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    sockets.push(socket);
    const answered = new Promise((resolve) => socket.once('readable', resolve));
    socket.write(`GET /media/${large.id} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    if (count < 40) await answered;
  }
  try {
    const served = await fetch(`${api.url}/media/${small.id}`);
    expect([served.status, (await served.arrayBuffer()).byteLength]).toEqual([200, 1_000]);
    await checkStore();
    expect(await headObject(small.key)).not.toBeNull();
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('a network with hundreds of slow readers waits for its turn, and those that leave make room', async () => {
  // Otherwise so many that leave within files would have their address refused for a second.
  env.TRUSTED_PROXIES = 1;
  onTestFinished(() => void Object.assign(env, { TRUSTED_PROXIES: 0 }));
  const large = await storeBanner(png(5 * 1024 * 1024 - 1));
  const sockets: Socket[] = [];
  const { hostname, port } = new URL(api.url);
  for (let count = 0; count < 300; count += 1) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    sockets.push(socket);
    socket.write(`GET /media/${large.id} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  }
  await expect.poll(() => reads.size, { timeout: 20_000 }).toBe(300 - 256);
  await checkStore();
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => reads.size).toBe(0);
  expect((await fetch(`${api.url}/media/${large.id}`)).status).toBe(200);
});

/** Calls back each time the store is asked for a file, until the test ends. Readers that have left may still ask for others. */
function onStoreAsked(key: string, call: (req: IncomingMessage) => void): void {
  const onRequest = (message: unknown) => {
    const { request: req } = message as { request: IncomingMessage };
    if (req.method === 'GET' && req.url?.startsWith(`/${env.S3_BUCKET}/${key}`)) call(req);
  };
  subscribe('http.server.request.start', onRequest);
  onTestFinished(() => void unsubscribe('http.server.request.start', onRequest));
}

/** Whether the SDK asks for the first time: it does so again after five seconds. */
const isFirst = (req: IncomingMessage) => req.headers['amz-sdk-request']?.toString().startsWith('attempt=1;');

test('the store is asked for few files of a network at a time, and at once for one of another network', async () => {
  env.TRUSTED_PROXIES = 1;
  onTestFinished(() => void Object.assign(env, { TRUSTED_PROXIES: 0 }));
  const { id, key } = await storeBanner(png(1_000));
  const releases: (() => void)[] = [];
  let asked = 0;
  onStoreAsked(key, (req) => {
    if (isFirst(req)) asked += 1;
    const { socket } = req;
    socket.cork();
    const uncorking = vi.spyOn(socket, 'uncork').mockImplementation(() => undefined);
    releases.push(() => {
      uncorking.mockRestore();
      socket.uncork();
    });
  });
  const ask = (network: string) => fetch(`${api.url}/media/${id}`, { headers: { 'X-Forwarded-For': network } });
  const answers = Array.from({ length: 20 }, () => ask('198.51.100.1'));
  await expect.poll(() => [asked, reads.size]).toEqual([8, 12]);
  answers.push(ask('203.0.113.1'));
  await expect.poll(() => asked).toBe(9);
  const releasing = setInterval(() => {
    for (const release of releases.splice(0)) release();
  });
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(21).fill(200));
  clearInterval(releasing);
});

test('of a file whose client leaves early, the store is asked for little, and of another one for each byte once', async () => {
  const bytes = png(3 * 1024 * 1024);
  const { key } = await storeBanner(bytes);
  const file = { key, sizeBytes: bytes.length };
  const ranges: unknown[] = [];
  onStoreAsked(key, (req) => isFirst(req) && ranges.push(req.headers.range));
  const left = await readParts(file, '198.51.100.3');
  await once(left ?? new PassThrough(), 'readable');
  left?.destroy();
  const ends = [256, 512, 1024, 2048, 3072].map((kib) => kib * 1024);
  const parts = ends.map((end, at) => `bytes=${ends[at - 1] ?? 0}-${end - 1}`);
  expect(ranges.splice(0)).toEqual(parts.slice(0, 1));
  expect((await buffer((await readParts(file, '198.51.100.3')) ?? new PassThrough())).equals(bytes)).toBe(true);
  expect(ranges).toEqual(parts);
});

test.each(['public', 'signed'])('of a %s file, few chunks are sent to a network in a round', async (kind) => {
  const { id, key } = await storeBanner(png(1024 * 1024));
  const { url } = await presignDownload(key);
  const target = kind === 'public' ? `${api.url}/media/${id}` : url.replace(env.PUBLIC_URL ?? '', api.url);
  const read = async () => (await (await fetch(target)).arrayBuffer()).byteLength;
  const most = await mostSentInRound(/^\/(media|store)\//, async () => {
    const sizes = await Promise.all(Array.from({ length: 64 }, read));
    expect(new Set(sizes)).toEqual(new Set([1024 * 1024]));
  });
  expect(most).toBeLessThanOrEqual(4);
});

test.each([
  ['cut', 3_000_000, (row: Row) => ({ sizeBytes: row.sizeBytes + 1_000 })],
  ['too long', 3_000_000, (row: Row) => ({ sizeBytes: row.sizeBytes - 1_000 })],
  ['changed', 3_000_000, () => ({ sha256: 'ab'.repeat(32) })],
  ['cut, and small', 1_000, (row: Row) => ({ sizeBytes: row.sizeBytes + 1_000 })],
  ['changed, and small', 1_000, () => ({ sha256: 'ab'.repeat(32) })],
])('a file of the store that is %s is not served as whole', async (_what, size, change) => {
  const { id } = await storeBanner(png(size));
  const row = await db.mediaFile.findUniqueOrThrow({ where: { id } });
  // As if the store had other bytes than it had when it was asked about them.
  await db.mediaFile.update({ where: { id }, data: change(row) });
  await expect(fetch(`${api.url}/media/${id}`).then((response) => response.arrayBuffer())).rejects.toThrow();
  await db.mediaFile.update({ where: { id }, data: { sizeBytes: row.sizeBytes, sha256: row.sha256 } });
  expect((await (await fetch(`${api.url}/media/${id}`)).arrayBuffer()).byteLength).toBe(size);
});

test('a store that stops within a file is given up, and time in which the client does not read does not count', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const store = new PassThrough({ objectMode: true });
    const bytes = checked(store, { sizeBytes: 12, sha256: '' });
    store.write(Buffer.from('some'));
    store.write(Buffer.from('more'));
    const first = bytes.next();
    expect(String((await first).value)).toBe('some');
    vi.advanceTimersByTime(60_000);
    expect(store.destroyed).toBe(false);
    const last = bytes.next();
    last.catch(() => undefined);
    await vi.waitUntil(() => vi.getTimerCount() > 0);
    vi.advanceTimersByTime(30_000);
    await expect(last).rejects.toThrow('has stopped within a file');
  } finally {
    vi.useRealTimers();
  }
});

test('what a network sends to the store takes turns with that of others, and what takes long passes its turn on', async () => {
  const begun: { network: string | undefined; end: () => void }[] = [];
  const slow = createServer((req, res) => {
    begun.push({ network: req.headers.origin, end: () => res.writeHead(204).end() });
  });
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  const before = { S3_ENDPOINT: env.S3_ENDPOINT, TRUSTED_PROXIES: env.TRUSTED_PROXIES };
  Object.assign(env, { S3_ENDPOINT: `http://127.0.0.1:${(slow.address() as AddressInfo).port}`, TRUSTED_PROXIES: 1 });
  const ask = (network: string) =>
    fetch(`${api.url}/store/${env.S3_BUCKET}/any`, {
      method: 'OPTIONS',
      headers: { 'X-Forwarded-For': network, Origin: network },
    });
  const of = (network: string) => begun.filter((each) => each.network === network).length;
  try {
    const many = Array.from({ length: 60 }, () => ask('198.51.100.1'));
    await expect.poll(() => of('198.51.100.1'), { interval: 5 }).toBeGreaterThan(0);
    const other = ask('198.51.100.2');
    await expect.poll(() => of('198.51.100.2'), { interval: 5 }).toBe(1);
    expect(of('198.51.100.1')).toBeLessThanOrEqual(16);
    await expect.poll(() => of('198.51.100.1'), { timeout: 5_000 }).toBe(60);
    for (const { end } of begun) end();
    const answers = await Promise.all([...many, other]);
    expect(answers.every(({ status }) => status === 204)).toBe(true);
  } finally {
    Object.assign(env, before);
    slow.closeAllConnections();
    slow.close();
  }
});

test('what is sent to a silent store is answered after half a minute, and given up when its client leaves', async () => {
  const silent = await startSilentServer();
  const before = { S3_ENDPOINT: env.S3_ENDPOINT };
  Object.assign(env, { S3_ENDPOINT: silent.url });
  const target = `${api.url}/store/${env.S3_BUCKET}/any`;
  try {
    const left = new AbortController();
    const leaving = fetch(target, { signal: left.signal });
    await expect.poll(() => silent.open.size).toBe(1);
    left.abort();
    await expect(leaving).rejects.toThrow();
    await expect.poll(() => silent.open.size).toBe(0);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const waiting = [fetch(target), fetch(target, { method: 'PUT', body: 'bytes' })];
    const isWhole = (text: string) => /^GET .*\r\n\r\n$|^PUT .*bytes$/s.test(text);
    await vi.waitUntil(() => silent.received.filter(isWhole).length === 1 + waiting.length);
    vi.advanceTimersByTime(30_000);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([504, 504]);
    await vi.waitUntil(() => silent.open.size === 0);
  } finally {
    vi.useRealTimers();
    Object.assign(env, before);
    silent.stop();
  }
});

test.each(['GET', 'PUT'])('a store that answers a %s with another protocol cannot be reached', async (method) => {
  const store = createServer((req) => {
    req.resume().socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
  });
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  const before = { S3_ENDPOINT: env.S3_ENDPOINT };
  Object.assign(env, { S3_ENDPOINT: `http://127.0.0.1:${(store.address() as AddressInfo).port}` });
  const body = method === 'PUT' ? 'bytes' : undefined;
  try {
    expect((await fetch(`${api.url}/store/${env.S3_BUCKET}/any`, { method, body })).status).toBe(502);
  } finally {
    Object.assign(env, before);
    store.closeAllConnections();
    store.close();
  }
});

test('a download from the store counts for the share of its network, whether or not its client takes it', async () => {
  const store = createServer((_req, res) => void res.writeHead(200, { 'Content-Length': 1024 ** 3 }).write('begins'));
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  const before = { S3_ENDPOINT: env.S3_ENDPOINT, TRUSTED_PROXIES: env.TRUSTED_PROXIES };
  Object.assign(env, { S3_ENDPOINT: `http://127.0.0.1:${(store.address() as AddressInfo).port}`, TRUSTED_PROXIES: 1 });
  const queue = new FairQueue({ running: [], gate: gateOf(1), waiting: 10, waitingOfOwner: 10 });
  const begun: string[] = [];
  const begin = (address: string) => queue.run(turnOf(address), async () => void begun.push(address));
  const [one, other] = ['198.51.100.4', '203.0.113.4'];
  try {
    const left = new AbortController();
    const headers = { 'X-Forwarded-For': one };
    await fetch(`${api.url}/store/${env.S3_BUCKET}/any`, { headers, signal: left.signal });
    left.abort();
    const endWanting = wantThread(originOf(other));
    const all = [begin(one), begin(other)];
    await all[1];
    expect(begun).toEqual([other]);
    endWanting();
    await Promise.all(all);
  } finally {
    Object.assign(env, before);
    store.closeAllConnections();
    store.close();
  }
});

test.each(['GET', 'OPTIONS'])('the body of a %s is no second request to the store', async (method) => {
  const asked: string[] = [];
  const store = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    req.resume().once('end', () => res.writeHead(204).end());
  });
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  const before = { S3_ENDPOINT: env.S3_ENDPOINT };
  Object.assign(env, { S3_ENDPOINT: `http://127.0.0.1:${(store.address() as AddressInfo).port}` });
  const body = `GET /${env.S3_BUCKET}/hidden HTTP/1.1\r\nHost: store\r\n\r\n`;
  const ask = (headers: Record<string, string | number>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asking = request(`${api.url}/store/${env.S3_BUCKET}/any`, { method, headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      asking.once('error', reject);
      asking.end(body);
    });
  try {
    expect(await ask({ 'Transfer-Encoding': 'chunked' })).toBe(204);
    expect(await ask({ 'Content-Length': body.length })).toBe(204);
    // Goes over the same connection, behind whatever was sent on it.
    expect((await fetch(`${api.url}/store/${env.S3_BUCKET}/last`, { method })).status).toBe(204);
    const any = `${method} /${env.S3_BUCKET}/any`;
    expect(asked).toEqual([any, any, `${method} /${env.S3_BUCKET}/last`]);
  } finally {
    Object.assign(env, before);
    store.closeAllConnections();
    store.close();
  }
});

/** Sends a body over the one connection of an agent, as fast as it is taken. */
function send(agent: Agent, url: string, headers: Record<string, string>, body: Buffer) {
  return new Promise<{ status: number | undefined; local: number | undefined }>((resolve, reject) => {
    const sending = request(url, { method: 'PUT', agent, headers: { ...headers, 'Content-Length': body.length } });
    let local: number | undefined;
    sending.once('socket', (socket) => {
      local = socket.localPort;
      socket.once('connect', () => {
        local = socket.localPort;
      });
    });
    sending.once('response', (response) => {
      response.resume().once('end', () => resolve({ status: response.statusCode, local }));
    });
    sending.once('error', reject);
    sending.end(body);
  });
}

test.each([1_000, 1_000_000, 12_000_000, 40_000_000])(
  'after an upload of %i bytes that is refused, the next one goes through on the same connection',
  async (size) => {
    const { project, owner } = await makeProject();
    const { id: subjectId } = await makeTournament(project.id);
    const bytes = randomBytes(5_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const granted = { contentType: 'image/png', sizeBytes: bytes.length, sha256, createdById: owner.id, subjectId };
    const { url, requiredHeaders } = await grantUpload({
      ...granted,
      projectId: project.id,
      kind: 'tournament_banner',
    });
    const target = url.replace(env.PUBLIC_URL ?? '', api.url);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (let round = 0; round < 4; round += 1) {
        const refused = await send(agent, target, requiredHeaders, randomBytes(size));
        expect(refused.status).toBe(403);
        const stored = await send(agent, target, requiredHeaders, bytes);
        expect(stored.status).toBe(200);
        expect(stored.local).toBe(refused.local);
      }
    } finally {
      agent.destroy();
    }
  },
);
