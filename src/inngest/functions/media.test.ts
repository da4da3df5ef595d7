import '@/test/store';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { env } from '@/env';
import { confirmUploads, deleteExpiredMedia } from '@/inngest/functions/media';
import { closeDatabase, db } from '@/server/db';
import { grantUpload } from '@/server/storage/media';
import { headObject } from '@/server/storage/object-store';
import { type Background, quiet, startBackground } from '@/test/background';
import { makeProject } from '@/test/factories';
import { png } from '@/test/images';

let background: Background;
beforeAll(async () => {
  env.S3_PROXY_UPLOADS = false;
  background = await startBackground({ functions: [confirmUploads, deleteExpiredMedia], logger: quiet });
});
afterAll(async () => {
  await background.stop();
  await closeDatabase();
});

test('an upload becomes ready although its client never reports it', async () => {
  const { project, owner } = await makeProject();
  const bytes = png(100);
  const granted = await grantUpload({
    projectId: project.id,
    kind: 'tournament_banner',
    subjectId: 'trn_any',
    contentType: 'image/png',
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    createdById: owner.id,
  });
  const statusNow = () => db.mediaFile.findUniqueOrThrow({ where: { id: granted.id }, select: { status: true } });
  expect(await statusNow()).toEqual({ status: 'pending' });
  const sent = await fetch(granted.url, { method: 'PUT', headers: granted.requiredHeaders, body: bytes });
  expect(sent.status).toBe(200);
  await vi.waitFor(async () => expect(await statusNow()).toEqual({ status: 'ready' }), {
    timeout: 90_000,
    interval: 100,
  });
  expect(await headObject(granted.key)).not.toBeNull();
});
