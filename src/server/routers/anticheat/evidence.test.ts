import '@/test/store';
import { createHash, randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { evidenceLifetime } from '@/domain/anticheat/lifetimes';
import { windowMs } from '@/domain/anticheat/rules';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { db } from '@/server/db';
import { confirmUpload, removeAllExpired } from '@/server/storage/media';
import { headObject } from '@/server/storage/object-store';
import { setupTestServer } from '@/test/server';
import { countRowsRead, watchStatements } from '@/test/statements';
import { evaluate, injector, setupAntiCheat, setupStranger } from './anticheat.fixture';

const server = setupTestServer();

const bytes = randomBytes(5_000);
const digest = createHash('sha256').update(bytes).digest();
const shot = { kind: 'screenshot', contentType: 'image/png', sizeBytes: bytes.length, sha256: digest.toString('hex') };
type Grant = {
  uploadUrl: string;
  mediaFileId: string;
  key: string;
  expiresAt: string;
  requiredHeaders: Record<string, string>;
};

const presign = (apiKey: string, body: Record<string, unknown>) =>
  server.post<Grant>('/anti-cheat/evidence/presign', { apiKey, body });

async function put({ uploadUrl }: Grant, body: Uint8Array<ArrayBuffer>, contentType = 'image/png') {
  const url = uploadUrl.replace(env.PUBLIC_URL ?? '', server.url);
  const response = await fetch(url, { method: 'PUT', headers: { 'Content-Type': contentType }, body });
  await response.text();
  return response.status;
}

test('evidence is uploaded with its Content-Type alone, counted, and never shown to the public', async () => {
  const { project, apiKey, enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId } = await start();
  await client.report(injector(1));
  await evaluate(sessionId);
  const granted = await presign(apiKey, { sessionId, ...shot });
  expect(granted).toMatchObject({
    status: 201,
    body: {
      key: `evidence/${project.id}/${sessionId}/${granted.body.mediaFileId}`,
      requiredHeaders: { 'Content-Type': 'image/png' },
    },
  });
  expect(Date.parse(granted.body.expiresAt) - Date.now()).toBeLessThanOrEqual(300_000);
  expect(await put(granted.body, randomBytes(bytes.length))).toBe(400);
  expect(await put(granted.body, bytes.subarray(1))).toBe(403);
  expect(await put(granted.body, bytes, 'image/jpeg')).toBe(403);
  const tampered = { ...granted.body, uploadUrl: granted.body.uploadUrl.replace('?', 'x?') };
  expect(await put(tampered, bytes)).toBe(403);
  expect(await confirmUpload(granted.body.mediaFileId)).toBe('missing');
  expect(await put(granted.body, bytes)).toBe(200);
  expect(await confirmUpload(granted.body.mediaFileId)).toBe('ready');

  const detections = await server.get<{ id: string; evidenceCount: number }[]>('/anti-cheat/detections', { apiKey });
  expect(detections.body).toMatchObject([{ evidenceCount: 1 }]);
  expect((await fetch(`${server.url}/media/${granted.body.mediaFileId}`)).status).toBe(404);
  const file = await db.mediaFile.findUniqueOrThrow({ where: { id: granted.body.mediaFileId } });
  expect(file.expiresAt?.getTime()).toBeGreaterThan(Date.now() + evidenceLifetime - 60_000);

  const ofOne = { sessionId, ...shot, detectionId: detections.body[0]?.id, sha256: digest.toString('base64') };
  expect(await presign(apiKey, ofOne)).toMatchObject({ status: 201 });
  const other = await start();
  expect(await presign(apiKey, { ...ofOne, sessionId: other.sessionId })).toMatchObject({ status: 404 });
});

test('other projects cannot upload, and a session takes evidence for a day after its end', async () => {
  const { apiKey, start } = await setupAntiCheat(server);
  const { sessionId } = await start();
  expect(await presign((await setupStranger()).apiKey, { sessionId, ...shot })).toMatchObject({ status: 404 });
  await server.post(`/anti-cheat/sessions/${sessionId}/end`, { apiKey });
  expect(await presign(apiKey, { sessionId, ...shot })).toMatchObject({ status: 201 });
  const endedAt = new Date(Date.now() - 25 * 3_600_000);
  await db.antiCheatSession.update({ where: { id: sessionId }, data: { endedAt } });
  expect(await presign(apiKey, { sessionId, ...shot })).toMatchObject({ status: 409, reason: 'SESSION_ENDED' });
});

test('a type that does not fit, a size past 100 MiB and what is no checksum are refused', async () => {
  const { apiKey, start } = await setupAntiCheat(server);
  const { sessionId } = await start();
  const bad: Record<string, unknown>[] = [
    { kind: 'selfie' },
    { contentType: 'text/html' },
    { contentType: 'video/mp4' },
    { sizeBytes: 0 },
    { sizeBytes: 104_857_601 },
    { sizeBytes: 1.5 },
    { sha256: 'abc' },
    { sha256: `${'g'.repeat(64)}` },
  ];
  for (const change of bad) {
    const answer = await presign(apiKey, { sessionId, ...shot, ...change });
    expect(answer, JSON.stringify(change)).toMatchObject({ status: 400, reason: 'VALIDATION_FAILED' });
    expect(answer.text).toContain(`"${Object.keys(change)[0]}"`);
  }
  expect(await presign(apiKey, { sessionId, ...shot, sizeBytes: 104_857_600 })).toMatchObject({ status: 201 });
});

test('a session grants only so many uploads in an hour', async () => {
  const limit = env.EVIDENCE_PER_SESSION_PER_HOUR;
  env.EVIDENCE_PER_SESSION_PER_HOUR = 2;
  const { apiKey, start } = await setupAntiCheat(server);
  const { sessionId } = await start();
  const answers = await Promise.all(Array.from({ length: 8 }, () => presign(apiKey, { sessionId, ...shot })));
  env.EVIDENCE_PER_SESSION_PER_HOUR = limit;
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(answers.filter(({ status, reason }) => status === 429 && reason === 'QUOTA_EXCEEDED')).toHaveLength(6);
});

test('a project is granted only so many bytes in a day, over all sessions and on every plan', async () => {
  const limit = env.EVIDENCE_KIB_PER_PROJECT_PER_DAY;
  env.EVIDENCE_KIB_PER_PROJECT_PER_DAY = 2_000;
  onTestFinished(() => void Object.assign(env, { EVIDENCE_KIB_PER_PROJECT_PER_DAY: limit }));
  const { apiKey, start } = await setupAntiCheat(server);
  const sessions = [(await start()).sessionId, (await start()).sessionId];
  const upload = (sessionId: string | undefined, sizeBytes: number) =>
    presign(apiKey, { sessionId, ...shot, sizeBytes });
  expect(await upload(sessions[0], 1_500 * 1024)).toMatchObject({ status: 201 });
  const refused = await upload(sessions[1], 501 * 1024);
  expect(refused).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000);
  expect(await upload(sessions[1], 500 * 1024)).toMatchObject({ status: 201 });
  const other = await setupAntiCheat(server);
  const { sessionId } = await other.start();
  expect(await presign(other.apiKey, { sessionId, ...shot, sizeBytes: 1_500 * 1024 })).toMatchObject({ status: 201 });
});

const elsewhere = process.env.CONFORMANCE_S3_ENDPOINT !== undefined;
const modes = elsewhere ? [env.S3_UPLOAD_LOCK] : (['query-content-sha256', 'signed-header', 'query-checksum'] as const);

test.each(modes)('evidence locked by %s is stored as it was granted, or not at all', async (mode) => {
  const settings = { S3_UPLOAD_LOCK: env.S3_UPLOAD_LOCK, S3_PROXY_UPLOADS: env.S3_PROXY_UPLOADS };
  Object.assign(env, { S3_UPLOAD_LOCK: mode, S3_PROXY_UPLOADS: false });
  onTestFinished(() => void Object.assign(env, settings));
  const { apiKey, start } = await setupAntiCheat(server);
  const { sessionId } = await start();
  const { body: granted } = await presign(apiKey, { sessionId, ...shot });
  const headers = {
    'Content-Type': 'image/png',
    ...(mode === 'signed-header' ? { 'x-amz-checksum-sha256': digest.toString('base64') } : {}),
  };
  expect(granted.requiredHeaders).toEqual(headers);
  const send = async (
    body: Uint8Array<ArrayBuffer>,
    sent: Record<string, string> = headers,
    url = granted.uploadUrl,
  ) => {
    const response = await fetch(url, { method: 'PUT', headers: sent, body });
    await response.text();
    return response.status;
  };
  const refused = [
    await send(randomBytes(bytes.length)),
    await send(bytes.subarray(1)),
    await send(bytes, { ...headers, 'Content-Type': 'image/jpeg' }),
    await send(bytes, headers, granted.uploadUrl.replace('?', 'x?')),
  ];
  for (const status of refused) expect(status).toBeGreaterThanOrEqual(400);
  expect(await confirmUpload(granted.mediaFileId)).toBe('missing');
  expect(await send(bytes)).toBe(200);
  expect(await confirmUpload(granted.mediaFileId)).toBe('ready');
});

test('the files of a detection are counted exactly, and not again for each detection, however many its session has', async () => {
  const { project, apiKey, enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId } = await start();
  await client.report(injector(1));
  await evaluate(sessionId);
  const { id: first, ...raised } = await db.detection.findFirstOrThrow({ where: { sessionId } });
  const rest = { ...raised, figures: {}, thresholds: {} };
  const ids = Array.from({ length: 20 }, () => newId('det'));
  await db.detection.createMany({ data: ids.map((id, at) => ({ ...rest, id, windowStart: new Date(at * windowMs) })) });
  const files = async (count: number, given: { detectionId?: string; status?: 'pending' }) => {
    const made = Array.from({ length: count }, () => newId('med'));
    const { kind: evidenceKind, ...fields } = shot;
    const row = {
      projectId: project.id,
      kind: 'evidence',
      subjectId: sessionId,
      createdById: 'key',
      evidenceKind,
    } as const;
    const expiresAt = new Date(Date.now() + evidenceLifetime);
    const all = made.map((id) => ({
      ...row,
      ...fields,
      status: 'ready' as const,
      expiresAt,
      ...given,
      id,
      key: `evidence/${id}`,
    }));
    await db.mediaFile.createMany({ data: all });
    return made;
  };
  await files(5, { status: 'pending' });
  const ofSession = await files(3_000, {});
  const own = await files(2, { detectionId: first });
  await files(3, { detectionId: ids[0] });
  const read = async () => {
    const { body } = await server.get<{ id: string; evidenceCount: number }[]>('/anti-cheat/detections', { apiKey });
    return new Map(body.map(({ id, evidenceCount }) => [id, evidenceCount]));
  };
  let counts = new Map<string, number>();
  const sent = await watchStatements(async () => {
    counts = await read();
  });
  expect([first, ...ids].map((id) => counts.get(id))).toEqual([3_002, 3_003, ...ids.slice(1).map(() => 3_000)]);
  const [listed] = sent.filter(({ text }) => text.includes('"evidenceCount"'));
  if (!listed) throw new Error('the list was not read');
  for (const table of ['media_file', 'evidence_count']) expect(await countRowsRead(table, listed)).toBeLessThan(200);

  await Promise.all([...ofSession.slice(0, 20), ...own].map((id) => db.mediaFile.delete({ where: { id } })));
  counts = await read();
  expect([first, ...ids.slice(0, 2)].map((id) => counts.get(id))).toEqual([2_980, 2_983, 2_980]);
  expect(await db.evidenceCount.count({ where: { sessionId } })).toBe(2);
});

test('old evidence is deleted in any number, and one file that the store does not delete holds up no other', async () => {
  const { project, apiKey, start } = await setupAntiCheat(server);
  const { sessionId } = await start();
  const { body: granted } = await presign(apiKey, { sessionId, ...shot });
  expect(await put(granted, bytes)).toBe(200);
  expect(await confirmUpload(granted.mediaFileId)).toBe('ready');
  const ofSession = { where: { subjectId: sessionId } };
  await db.mediaFile.updateMany({ ...ofSession, data: { expiresAt: new Date(0) } });
  const { key: _key, id: _id, ...row } = await db.mediaFile.findFirstOrThrow(ofSession);
  const ids = Array.from({ length: 650 }, () => newId('med'));
  // No store deletes an object without a key.
  const keyOf = (id: string, index: number) => (index === 0 ? '' : `evidence/${project.id}/${id}`);
  await db.mediaFile.createMany({ data: ids.map((id, index) => ({ ...row, id, key: keyOf(id, index) })) });
  for (let more = true; more; ) ({ more } = await removeAllExpired());
  expect(await headObject(granted.key)).toBeNull();
  const left = await db.mediaFile.findMany({ ...ofSession, select: { id: true, expiresAt: true } });
  expect(left.map(({ id }) => id)).toEqual(ids.slice(0, 1));
  expect(left[0]?.expiresAt?.getTime()).toBeGreaterThan(Date.now());
});
