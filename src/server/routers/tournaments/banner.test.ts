import '@/test/store';
import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { imageLimit } from '@/domain/files/images';
import { env } from '@/env';
import { db } from '@/server/db';
import { confirmUpload, expiredMedia, removeExpired } from '@/server/storage/media';
import { deleteObject, headObject } from '@/server/storage/object-store';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { png } from '@/test/images';
import { setupTestServer } from '@/test/server';
import { store } from '@/test/store';

const api = setupTestServer();

const image = () => png(2_000);
const describeImage = (bytes: Buffer) => ({
  contentType: 'image/png' as const,
  sizeBytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

async function setup() {
  const { project } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const { id: tournamentId } = await makeTournament(project.id);
  const { tournaments } = api.trpc(organizer.bearer);
  return { project, organizer, tournamentId, tournaments, banner: tournaments.banner };
}
type Setup = Awaited<ReturnType<typeof setup>>;

/** The upload URL on the port of this test's server. */
const here = (url: string) => url.replace(env.PUBLIC_URL ?? '', api.url);

async function upload({ banner, tournamentId }: Setup, bytes: Buffer, sent = bytes) {
  const grant = await banner.upload.mutate({ tournamentId, ...describeImage(bytes) });
  const { uploadUrl, requiredHeaders: headers } = grant;
  const response = await fetch(here(uploadUrl), { method: 'PUT', headers, body: new Uint8Array(sent) });
  return { ...grant, status: response.status };
}

const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no refusal',
    (error) => error.data?.reason,
  );

test('a banner is uploaded, shown, and announced to viewers', async () => {
  const it = await setup();
  const bytes = image();
  const { status, mediaFileId, uploadUrl, key } = await upload(it, bytes);
  expect(status).toBe(200);
  expect(uploadUrl).toMatch(/^http:\/\/localhost:3000\/store\/laurel\/tournament_banner\//);
  expect(key).toBe(`tournament_banner/${it.project.id}/${it.tournamentId}/${mediaFileId}`);

  const before = await it.tournaments.get.query({ tournamentId: it.tournamentId });
  expect(before.bannerUrl).toBeNull();
  const shown = await it.banner.attach.mutate({ tournamentId: it.tournamentId, mediaFileId });
  expect(shown).toMatchObject({ bannerUrl: `http://localhost:3000/media/${mediaFileId}`, version: before.version });
  const open = await api.get<{ bannerUrl: string }>(`/tournaments/${it.tournamentId}`);
  expect(open.body.bannerUrl).toBe(shown.bannerUrl);

  const served = await fetch(here(shown.bannerUrl ?? ''));
  expect(Buffer.from(await served.arrayBuffer()).equals(bytes)).toBe(true);
  expect(Object.fromEntries(served.headers)).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  });
  const again = await fetch(here(shown.bannerUrl ?? ''), {
    headers: { 'If-None-Match': served.headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
  const head = await fetch(here(shown.bannerUrl ?? ''), { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '2000']);

  const [event] = await db.domainEvent.findMany({ where: { aggregateId: it.tournamentId } });
  expect(event).toMatchObject({ type: 'tournament.updated', payload: { changes: ['banner'] } });
  const [entry] = await db.auditEntry.findMany({ where: { targetId: it.tournamentId } });
  expect(entry).toMatchObject({ action: 'tournament.update', details: { changes: ['banner'], mediaFileId } });

  await it.banner.attach.mutate({ tournamentId: it.tournamentId, mediaFileId });
  expect(await db.domainEvent.count({ where: { aggregateId: it.tournamentId } })).toBe(1);
});

test('replaced, removed and unused banners are deleted with their objects, current ones never', async () => {
  const it = await setup();
  const [first, second, unclaimed] = [await upload(it, image()), await upload(it, image()), await upload(it, image())];
  const attach = (mediaFileId: string) => it.banner.attach.mutate({ tournamentId: it.tournamentId, mediaFileId });
  await attach(first.mediaFileId);
  await attach(second.mediaFileId);
  const expiry = async (id: string) => (await db.mediaFile.findUniqueOrThrow({ where: { id } })).expiresAt?.getTime();
  const hour = 60 * 60_000;
  expect(await expiry(first.mediaFileId)).toBeGreaterThan(Date.now() + hour - 60_000);
  expect(await expiry(first.mediaFileId)).toBeLessThan(Date.now() + hour + 60_000);
  expect(await expiry(second.mediaFileId)).toBeUndefined();
  expect(await expiry(unclaimed.mediaFileId)).toBeGreaterThan(Date.now() + 23 * hour);

  await removeExpired(unclaimed.mediaFileId);
  expect(await headObject(unclaimed.key)).not.toBeNull();
  const past = { expiresAt: new Date(Date.now() - 1000) };
  await db.mediaFile.updateMany({ where: { id: { in: [first.mediaFileId, unclaimed.mediaFileId] } }, data: past });
  expect(await reasonOf(attach(unclaimed.mediaFileId))).toBe('INVALID_STATE');
  const due = await expiredMedia(100);
  expect(due.sort()).toEqual([first.mediaFileId, unclaimed.mediaFileId].sort());
  for (const id of [...due, second.mediaFileId]) await removeExpired(id);
  expect(await headObject(first.key)).toBeNull();
  expect(await headObject(unclaimed.key)).toBeNull();
  expect(await headObject(second.key)).not.toBeNull();
  expect((await fetch(`${api.url}/media/${first.mediaFileId}`)).status).toBe(404);

  const bare = await it.banner.remove.mutate({ tournamentId: it.tournamentId });
  expect(bare.bannerUrl).toBeNull();
  expect(await expiry(second.mediaFileId)).toBeGreaterThan(Date.now());
  await it.banner.remove.mutate({ tournamentId: it.tournamentId });
  expect(await db.domainEvent.count({ where: { aggregateId: it.tournamentId } })).toBe(3);
});

test('an upload that has expired is not confirmed any more, so that it is deleted whole', async () => {
  const it = await setup();
  const { mediaFileId, key } = await upload(it, image());
  await db.mediaFile.update({ where: { id: mediaFileId }, data: { expiresAt: new Date(Date.now() - 1_000) } });
  expect(await confirmUpload(mediaFileId)).toBe('missing');
  expect(await db.mediaFile.findUnique({ where: { id: mediaFileId } })).toMatchObject({ status: 'pending' });
  await Promise.all([removeExpired(mediaFileId), confirmUpload(mediaFileId), removeExpired(mediaFileId)]);
  expect(await db.mediaFile.findUnique({ where: { id: mediaFileId } })).toBeNull();
  expect(await headObject(key)).toBeNull();
});

test('banners that are replaced while the sweep runs keep or lose object and row together', async () => {
  const it = await setup();
  const attach = (mediaFileId: string) => it.banner.attach.mutate({ tournamentId: it.tournamentId, mediaFileId });
  for (let round = 0; round < 5; round += 1) {
    const [first, second] = [await upload(it, image()), await upload(it, image())];
    await attach(first.mediaFileId);
    await attach(second.mediaFileId);
    const past = { expiresAt: new Date(Date.now() - 1) };
    await db.mediaFile.update({ where: { id: first.mediaFileId }, data: past });
    const ids = [first.mediaFileId, second.mediaFileId];
    await Promise.allSettled([...ids.map(removeExpired), attach(first.mediaFileId), ...ids.map(removeExpired)]);
    for (const { mediaFileId, key } of [first, second]) {
      const row = await db.mediaFile.findUnique({ where: { id: mediaFileId } });
      expect((await headObject(key)) !== null, `round ${round}`).toBe(row !== null);
    }
  }
});

test('the banner of a deleted tournament is deleted', async () => {
  const it = await setup();
  const { mediaFileId } = await upload(it, image());
  await it.banner.attach.mutate({ tournamentId: it.tournamentId, mediaFileId });
  await db.tournament.delete({ where: { id: it.tournamentId } });
  expect((await db.mediaFile.findUniqueOrThrow({ where: { id: mediaFileId } })).expiresAt).not.toBeNull();
});

test('an upload that does not match its grant is refused', async () => {
  const it = await setup();
  const wrong = await upload(it, image(), image());
  expect(wrong.status).toBe(400);
  const attach = (mediaFileId: string) => it.banner.attach.mutate({ tournamentId: it.tournamentId, mediaFileId });
  expect(await reasonOf(attach(wrong.mediaFileId))).toBe('INVALID_STATE');
  expect(await confirmUpload(wrong.mediaFileId)).toBe('missing');

  const other = await upload(it, image());
  await db.mediaFile.update({ where: { id: other.mediaFileId }, data: { sha256: '0'.repeat(64) } });
  expect(await reasonOf(attach(other.mediaFileId))).toBe('INVALID_STATE');
  expect(await headObject(other.key)).toBeNull();
  expect((await fetch(`${api.url}/media/${other.mediaFileId}`)).status).toBe(404);
});

test('an image of too many pixels, or of another type than announced, is deleted and never shown', async () => {
  const it = await setup();
  const attach = (mediaFileId: string) => it.banner.attach.mutate({ tournamentId: it.tournamentId, mediaFileId });
  const gif = Buffer.concat([Buffer.from('474946383961040004000000', 'hex'), randomBytes(500)]);
  const html = Buffer.from('<script>alert(1)</script>');
  const large = png(500, { width: 22_000, height: 22_000 });
  for (const bytes of [gif, html, large, png(500, { width: 20_000, height: 1 }), randomBytes(500)]) {
    const { mediaFileId, status, key } = await upload(it, bytes);
    expect(status).toBe(200);
    expect(await reasonOf(attach(mediaFileId))).toBe('INVALID_STATE');
    expect(await headObject(key)).toBeNull();
    expect((await fetch(`${api.url}/media/${mediaFileId}`)).status).toBe(404);
  }
  const { mediaFileId } = await upload(it, png(500, { width: 10_000, height: 5_000 }));
  expect((await attach(mediaFileId)).bannerUrl).toContain(mediaFileId);
});

test('only images of the four types and up to 5 MiB can be uploaded', async () => {
  const { banner, tournamentId } = await setup();
  const good = describeImage(image());
  for (const bad of [{ sizeBytes: imageLimit + 1 }, { sizeBytes: 0 }, { sha256: 'abc' }]) {
    expect(await reasonOf(banner.upload.mutate({ tournamentId, ...good, ...bad }))).toBe('VALIDATION_FAILED');
  }
  const svg = { ...good, contentType: 'image/svg+xml' as 'image/png' };
  expect(await reasonOf(banner.upload.mutate({ tournamentId, ...svg }))).toBe('VALIDATION_FAILED');
  expect((await banner.upload.mutate({ tournamentId, ...good, sizeBytes: imageLimit })).mediaFileId).toMatch(/^med_/);
});

test('only organizers of the project can change the banner, with uploads of the project', async () => {
  const it = await setup();
  const { tournamentId } = it;
  const { mediaFileId } = await upload(it, image());
  const moderator = await makeMember(it.project.id, 'MODERATOR');
  for (const person of [moderator, await makeUser()]) {
    const { banner } = api.trpc(person.bearer).tournaments;
    expect(await reasonOf(banner.upload.mutate({ tournamentId, ...describeImage(image()) }))).toBe('FORBIDDEN');
    expect(await reasonOf(banner.attach.mutate({ tournamentId, mediaFileId }))).toBe('FORBIDDEN');
    expect(await reasonOf(banner.remove.mutate({ tournamentId }))).toBe('FORBIDDEN');
  }
  const foreign = await setup();
  const stolen = foreign.banner.attach.mutate({ tournamentId: foreign.tournamentId, mediaFileId });
  expect(await reasonOf(stolen)).toBe('NOT_FOUND');
  const second = await makeTournament(it.project.id);
  await it.banner.attach.mutate({ tournamentId, mediaFileId });
  expect(await reasonOf(it.banner.attach.mutate({ tournamentId: second.id, mediaFileId }))).toBe('INVALID_STATE');
});

test('the upload addresses accept nothing else', async () => {
  const it = await setup();
  const { mediaFileId } = await upload(it, image());
  expect((await fetch(`${api.url}/media/${mediaFileId}`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${api.url}/media/${mediaFileId}/x`)).status).toBe(404);
  expect((await fetch(`${api.url}/media/`)).status).toBe(404);
  const grant = await it.banner.upload.mutate({ tournamentId: it.tournamentId, ...describeImage(image()) });
  // What was signed for an upload reads nothing.
  expect((await fetch(here(grant.uploadUrl))).status).toBe(403);
  expect((await fetch(`${api.url}/store/laurel/key`, { method: 'PUT', body: 'x' })).status).toBe(403);
  for (const path of ['', '/', '/laurel', '/other/key', '/minio/health/live', '/laurel/%2e%2e/other/key']) {
    const beside = await fetch(`${api.url}/store${path}`);
    expect([path, beside.status, await beside.text()]).toEqual([path, 404, 'Not found\n']);
  }
  const preflight = await fetch(here(grant.uploadUrl), { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
  await deleteObject(grant.key);
});

test('a project is granted exactly as many uploads in an hour as it may have, over all of its tournaments', async () => {
  const limit = env.UPLOADS_PER_PROJECT_PER_HOUR;
  const it = await setup();
  const tournaments = [it.tournamentId, (await makeTournament(it.project.id)).id];
  const refusals = await Promise.all(
    Array.from({ length: limit + 6 }, (_, index) =>
      reasonOf(it.banner.upload.mutate({ tournamentId: tournaments[index % 2] ?? '', ...describeImage(image()) })),
    ),
  );
  expect(refusals.filter((reason) => reason === 'QUOTA_EXCEEDED')).toHaveLength(6);
  expect(await db.mediaFile.count({ where: { subjectId: { in: tournaments } } })).toBe(limit);
  expect((await upload(await setup(), image())).status).toBe(200);
});

// The last one: it stops the store.
test('readiness includes the object store, and an image that cannot be looked at there is no failure of ours', async () => {
  const it = await setup();
  const { mediaFileId } = await upload(it, image());
  const ready = await fetch(`${api.url}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([200, { checks: { store: 'ok' } }]);
  await store.stop();
  const without = await fetch(`${api.url}/readyz`);
  expect([without.status, await without.json()]).toMatchObject([503, { checks: { store: 'unreachable' } }]);
  const late = await fetch(`${api.url}/store/laurel/key`, { method: 'PUT', body: 'x' });
  expect([late.status, await late.text()]).toEqual([502, 'The object store cannot be reached\n']);
  await expect(it.banner.attach.mutate({ tournamentId: it.tournamentId, mediaFileId })).rejects.toMatchObject({
    message: expect.stringContaining('object store'),
    data: { reason: 'NOT_READY', httpStatus: 503 },
  });
});
