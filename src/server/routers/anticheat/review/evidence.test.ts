import '@/test/store';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { EvidenceKind } from '@/domain/anticheat/evidence';
import { env } from '@/env';
import { db } from '@/server/db';
import { confirmUpload, grantUpload } from '@/server/storage/media';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { setupReview } from './review.fixture';

const server = setupTestServer();

type Upload = { evidenceKind: EvidenceKind; contentType: string; text: string; detectionId?: string };

/** Uploads a file of evidence for a session. @returns its id */
async function upload(projectId: string, sessionId: string, { text, ...given }: Upload) {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const grant = await grantUpload({
    ...{ projectId, kind: 'evidence', subjectId: sessionId, createdById: 'key_1', sizeBytes: bytes.length, sha256 },
    ...given,
  });
  const url = grant.url.replace(env.PUBLIC_URL ?? '', server.url);
  const sent = await fetch(url, { method: 'PUT', headers: grant.requiredHeaders, body: bytes });
  expect(sent.status, await sent.text()).toBe(200);
  expect(await confirmUpload(grant.id)).toBe('ready');
  return grant.id;
}

const page = '<script>document.title = "run"</script>';

async function setup() {
  const found = await setupReview(server);
  const detectionId = await found.detect();
  const { sessionId } = await db.detection.findUniqueOrThrow({ where: { id: detectionId } });
  const add = (given: Upload) => upload(found.project.id, sessionId, given);
  return { ...found, detectionId, sessionId, add };
}

test('the evidence of a detection is its own and that of its session, once it has arrived', async () => {
  const { project, moderator, detect, detectionId, sessionId, add, as } = await setup();
  const sibling = await detect({ sessionId, windowStart: new Date(0) });
  const log = { evidenceKind: 'log', contentType: 'text/plain', text: 'a log' } as const;
  const ofSession = await add(log);
  const own = await add({ ...log, detectionId });
  await add({ ...log, detectionId: sibling });
  await grantUpload({
    ...{ projectId: project.id, kind: 'evidence', subjectId: sessionId, createdById: 'key_1', sizeBytes: 1 },
    ...{ contentType: 'text/plain', sha256: 'a'.repeat(64), evidenceKind: 'log' },
  });
  const list = await as(moderator).evidence.query({ projectId: project.id, detectionId });
  expect(list.total).toBe(2);
  expect(list.items).toEqual([
    expect.objectContaining({ id: own, kind: 'log', contentType: 'text/plain', sizeBytes: 5, isForDetection: true }),
    expect.objectContaining({ id: ofSession, isForDetection: false }),
  ]);
  const second = await as(moderator).evidence.query({ projectId: project.id, detectionId, page: 2, limit: 1 });
  expect(second.items.map(({ id }) => id)).toEqual([ofSession]);
});

test('each view is granted for five minutes and goes into the audit log', async () => {
  const { project, moderator, detectionId, add, as } = await setup();
  const mediaFileId = await add({ evidenceKind: 'screenshot', contentType: 'image/png', text: page });
  const input = { projectId: project.id, detectionId, mediaFileId };
  const grant = await as(moderator).viewEvidence.mutate(input);
  expect(grant.contentType).toBe('image/png');
  const left = Date.parse(grant.expiresAt) - Date.now();
  expect(left).toBeGreaterThan(290_000);
  expect(left).toBeLessThanOrEqual(300_000);
  await as(moderator).viewEvidence.mutate(input);
  const views = await db.auditEntry.findMany({
    where: { targetId: mediaFileId },
    select: { action: true, actorId: true, projectId: true, targetType: true, details: true },
  });
  const view = {
    ...{ action: 'evidence.view', actorId: moderator.id, projectId: project.id, targetType: 'evidence' },
    details: { kind: 'screenshot', detectionId },
  };
  expect(views).toEqual([view, view]);
});

test('a browser that opens the address of evidence saves a file, whatever is in it', async () => {
  const { project, moderator, detectionId, add, as } = await setup();
  const cases = [
    { evidenceKind: 'screenshot', contentType: 'image/png', served: 'image/png', ending: 'png' },
    { evidenceKind: 'video', contentType: 'video/mp4', served: 'video/mp4', ending: 'mp4' },
    { evidenceKind: 'log', contentType: 'text/plain', served: 'application/octet-stream', ending: 'txt' },
    { evidenceKind: 'log', contentType: 'application/json', served: 'application/octet-stream', ending: 'json' },
    { evidenceKind: 'other', contentType: 'application/pdf', served: 'application/octet-stream', ending: 'pdf' },
  ] as const;
  for (const { served, ending, ...given } of cases) {
    const mediaFileId = await add({ ...given, text: page });
    const { url } = await as(moderator).viewEvidence.mutate({ projectId: project.id, detectionId, mediaFileId });
    const response = await fetch(url.replace(env.PUBLIC_URL ?? '', server.url));
    expect(await response.text()).toBe(page);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': served,
      'content-disposition': `attachment; filename="evidence-${mediaFileId}.${ending}"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-store',
    });
    // A player of videos asks for the part that it jumps to.
    const part = await fetch(url.replace(env.PUBLIC_URL ?? '', server.url), { headers: { Range: 'bytes=2-5' } });
    expect([part.status, await part.text()]).toEqual([206, page.slice(2, 6)]);
    expect(part.headers.get('content-range')).toBe(`bytes 2-5/${page.length}`);
    const changed = url.replace('attachment', 'inline').replace(env.PUBLIC_URL ?? '', server.url);
    const tampered = await fetch(changed);
    expect(tampered.status, await tampered.text()).toBe(403);
  }
});

test('nobody else sees evidence, and no refusal is a view', async () => {
  const { project, player, member, moderator, detect, detectionId, sessionId, add, as } = await setup();
  const stranger = await setup();
  const log = { evidenceKind: 'log', contentType: 'text/plain', text: 'a log' } as const;
  const mediaFileId = await add(log);
  const sibling = await detect({ sessionId, windowStart: new Date(0) });
  const ofSibling = await add({ ...log, detectionId: sibling });
  const input = { projectId: project.id, detectionId, mediaFileId };
  const refusals: [{ bearer: string }, Partial<typeof input>, string][] = [
    [player, {}, 'NOT_FOUND'],
    [member, {}, 'FORBIDDEN'],
    [await makeUser(), {}, 'NOT_FOUND'],
    [stranger.owner, {}, 'NOT_FOUND'],
    [stranger.owner, { projectId: stranger.project.id }, 'NOT_FOUND'],
    [stranger.owner, { projectId: stranger.project.id, detectionId: stranger.detectionId }, 'NOT_FOUND'],
    [moderator, { mediaFileId: ofSibling }, 'NOT_FOUND'],
    [moderator, { mediaFileId: 'med_unknown' }, 'NOT_FOUND'],
    [{ bearer: '' }, {}, 'UNAUTHENTICATED'],
  ];
  for (const [who, changes, reason] of refusals) {
    await expect(as(who).viewEvidence.mutate({ ...input, ...changes })).rejects.toMatchObject({ data: { reason } });
  }
  for (const who of [player, stranger.owner]) {
    const list = as(who).evidence.query({ projectId: project.id, detectionId });
    await expect(list).rejects.toMatchObject({ data: { reason: 'NOT_FOUND' } });
  }
  expect(await db.auditEntry.count({ where: { targetId: { in: [mediaFileId, ofSibling] } } })).toBe(0);
});
