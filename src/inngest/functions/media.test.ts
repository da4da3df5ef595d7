import '@/test/store';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { env } from '@/env';
import { confirmUploads, deleteExpiredMedia } from '@/inngest/functions/media';
import { closeDatabase, db, pool } from '@/server/db';
import { takeOverdue } from '@/server/events/relay';
import { inngest } from '@/server/jobs/client';
import { mediaUploadGranted } from '@/server/jobs/events';
import { grantUpload, uncheckedUploads } from '@/server/storage/media';
import { headObject } from '@/server/storage/object-store';
import { type Background, quiet, startBackground } from '@/test/background';
import { makeProject } from '@/test/factories';
import { png } from '@/test/images';
import { until } from '@/test/receiver';

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

test('an upload is checked in the turn of the block from which its project was created, also when the relay asks for it', async () => {
  const { project, owner } = await makeProject();
  await db.project.update({ where: { id: project.id }, data: { createdFrom: 'a block' }, select: { id: true } });
  const granted = await grantUpload({
    projectId: project.id,
    kind: 'tournament_banner',
    subjectId: 'trn_any',
    contentType: 'image/png',
    sizeBytes: 100,
    sha256: '0'.repeat(64),
    createdById: owner.id,
  });
  const { rows } = await pool.query(`SELECT body::jsonb->'data' AS data FROM local_inngest.events WHERE id = $1`, [
    `media:${granted.id}`,
  ]);
  const data = { mediaFileId: granted.id, projectId: project.id, turn: 'a block' };
  expect(rows).toEqual([{ data }]);
  await db.mediaFile.update({
    where: { id: granted.id },
    data: { checkAt: new Date(Date.now() - 60_000) },
    select: { id: true },
  });
  expect(await takeOverdue(uncheckedUploads, 30_000)).toEqual([{ id: granted.id, data }]);
});

async function countBegun(turn: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM local_inngest.runs WHERE steps <> '' AND event::jsonb->'data'->>'turn' = $1`,
    [turn],
  );
  return rows[0]?.count ?? 0;
}

test('checks for many projects of one block keep that of another waiting for few of them', async () => {
  const granted = (index: number, turn: string) =>
    mediaUploadGranted.create({ mediaFileId: `med_${turn}${index}`, projectId: `prj_${turn}${index}`, turn });
  await inngest.send([...Array.from({ length: 600 }, (_, index) => granted(index, 'many')), granted(0, 'other')]);
  await until(async () => (await countBegun('other')) === 1);
  expect(await countBegun('many')).toBeLessThan(300);
  await until(async () => (await countBegun('many')) === 600, 60_000);
});
