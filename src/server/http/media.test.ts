import '@/test/store';
import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { env } from '@/env';
import { reads } from '@/server/http/media';
import { confirmUpload, grantUpload } from '@/server/storage/media';
import { checkStore, headObject } from '@/server/storage/object-store';
import { makeProject, makeTournament } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

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
  const large = await storeBanner(randomBytes(5 * 1024 * 1024 - 1));
  const small = await storeBanner(randomBytes(1_000));
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
  const large = await storeBanner(randomBytes(5 * 1024 * 1024 - 1));
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
