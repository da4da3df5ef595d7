import { evidenceLifetime } from '@/domain/anticheat/lifetimes';
import { newId } from '@/domain/ids';
import { publicUrl } from '@/env';
import type { MediaKind } from '@/generated/prisma/enums';
import { db } from '@/server/db';
import { sendAfterCommit } from '@/server/jobs/client';
import { mediaUploadGranted } from '@/server/jobs/events';
import { takeQuota } from '@/server/limits/quotas';
import { logger } from '@/server/logger';
import { deleteObject, headObject, presignUpload, type Upload } from '@/server/storage/object-store';

/** How long an upload is stored before something uses it. */
const unclaimedMs = 24 * 60 * 60_000;

/** The public address of a file. */
export function mediaUrl(id: string): string {
  return `${publicUrl}/media/${id}`;
}

export type UploadRequest = {
  projectId: string;
  kind: MediaKind;
  /** What the file is for; part of its key. */
  subjectId: string;
  contentType: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  createdById: string;
  /** Of evidence: what it belongs to. */
  evidence?: { sessionId: string; detectionId: string | undefined; evidenceKind: string };
};

/**
 * Allows one upload of exactly these bytes. It is deleted after a day unless something uses it.
 * @throws QUOTA_EXCEEDED when the project was granted too many
 */
export async function grantUpload(request: UploadRequest): Promise<Upload & { id: string; key: string }> {
  const { subjectId, evidence, ...row } = request;
  const id = newId('med');
  const key = `${row.kind}/${row.projectId}/${subjectId}/${id}`;
  const upload = await presignUpload({ key, ...row });
  await db.$transaction(async (tx) => {
    await tx.mediaFile.create({
      data: { ...row, ...evidence, id, key, expiresAt: new Date(Date.now() + unclaimedMs) },
      select: { id: true },
    });
    if (evidence) await takeQuota(tx, 'evidence', evidence.sessionId);
    else await takeQuota(tx, 'uploads', row.projectId);
  });
  await sendAfterCommit(
    mediaUploadGranted.create({ mediaFileId: id, projectId: row.projectId }, { id: `media:${id}` }),
  );
  return { ...upload, id, key };
}

/** Checks whether the upload has arrived as it was allowed, and marks the file as ready. Deletes it if it differs. */
export async function confirmUpload(id: string): Promise<'ready' | 'missing'> {
  const file = await db.mediaFile.findUnique({
    where: { id },
    select: { kind: true, key: true, status: true, contentType: true, sizeBytes: true, sha256: true },
  });
  if (!file) return 'missing';
  if (file.status === 'ready') return 'ready';
  const found = await headObject(file.key);
  if (!found) return 'missing';
  const asGranted =
    found.sizeBytes === file.sizeBytes &&
    found.contentType === file.contentType &&
    (found.sha256 === null || found.sha256 === file.sha256);
  if (!asGranted) {
    logger.warn({ mediaFileId: id }, 'the object store accepted an upload that differs from the allowed one');
    await deleteObject(file.key);
    return 'missing';
  }
  // Nothing claims evidence: it is kept for its time from the moment it arrived.
  const kept = file.kind === 'evidence' ? { expiresAt: new Date(Date.now() + evidenceLifetime) } : {};
  await db.mediaFile.updateMany({ where: { id, status: 'pending' }, data: { status: 'ready', ...kept } });
  return 'ready';
}

/** The ids of up to `limit` files that are no longer used, or never were. */
export async function expiredMedia(limit: number): Promise<string[]> {
  const rows = await db.mediaFile.findMany({
    where: { expiresAt: { lte: new Date() } },
    orderBy: { expiresAt: 'asc' },
    take: limit,
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}

/** Deletes an expired file, its object first: after a crash in between, the row still says what to delete. */
export async function removeExpired(id: string): Promise<void> {
  const file = await db.mediaFile.findFirst({ where: { id, expiresAt: { lte: new Date() } }, select: { key: true } });
  if (!file) return;
  await deleteObject(file.key);
  await db.mediaFile.deleteMany({ where: { id, expiresAt: { lte: new Date() } } });
}
