import type { EvidenceKind } from '@/domain/anticheat/evidence';
import { evidenceLifetime } from '@/domain/anticheat/lifetimes';
import { imageHeadBytes, imageSizeLimit, imageTypeOf } from '@/domain/files/images';
import { newId } from '@/domain/ids';
import { publicUrl } from '@/env';
import type { MediaKind } from '@/generated/prisma/enums';
import { db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { projectTurnSql, turnOfProject } from '@/server/events/project-turn';
import type { RelayedJob } from '@/server/events/relay';
import { sendAfterCommit } from '@/server/jobs/client';
import { mediaUploadGranted } from '@/server/jobs/events';
import { takeQuota } from '@/server/limits/take-quota';
import { logger } from '@/server/logger';
import { deleteObject, headObject, presignUpload, readFirstBytes, type Upload } from '@/server/storage/object-store';

/** Milliseconds before each check whether an upload has arrived; in total longer than the time in which it can start. */
export const uploadChecksMs = [5_000, 25_000, 90_000, 240_000] as const;
/** How long an upload is stored before something uses it. */
const unclaimedMs = 24 * 60 * 60_000;
/** The time that an upload must have left when it is claimed, so that the sweep never deletes it at the same time. */
const minTimeLeftMs = 5 * 60_000;

/** The public address of a file. */
export function mediaUrl(id: string): string {
  return `${publicUrl}/media/${id}`;
}

export type UploadRequest = {
  projectId: string;
  kind: MediaKind;
  /** Id of what the file is for; part of its key. */
  subjectId: string;
  contentType: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  createdById: string;
  /** Of evidence: what kind it is, and the detection that it is for; left out: its whole session. */
  evidenceKind?: EvidenceKind;
  detectionId?: string;
};

/**
 * Allows one upload of exactly these bytes. It is deleted after a day unless something uses it.
 * @throws QUOTA_EXCEEDED when the project, or for screenshots the person, or for evidence the session, was granted too
 *   many, or the project too many bytes of evidence
 */
export async function grantUpload(request: UploadRequest): Promise<Upload & { id: string; key: string }> {
  const { kind, projectId, subjectId } = request;
  const id = newId('med');
  const key = `${kind}/${projectId}/${subjectId}/${id}`;
  const upload = await presignUpload({ key, ...request });
  await db.$transaction(async (tx) => {
    if (kind === 'evidence') {
      await takeQuota(tx, 'evidence', subjectId);
      await takeQuota(tx, 'evidenceKib', projectId, Math.ceil(request.sizeBytes / 1024));
    } else if (kind === 'match_screenshot') {
      await takeQuota(tx, 'screenshots', request.createdById);
      await takeQuota(tx, 'screenshotsPerDay', request.createdById);
    } else await takeQuota(tx, 'uploads', projectId);
    await tx.mediaFile.create({
      data: {
        ...request,
        id,
        key,
        expiresAt: new Date(Date.now() + unclaimedMs),
        checkAt: new Date(Date.now() + uploadChecksMs[0]),
      },
      select: { id: true },
    });
  });
  const { owner: turn } = await turnOfProject(projectId);
  await sendAfterCommit(mediaUploadGranted.create({ mediaFileId: id, projectId, turn }, { id: `media:${id}` }));
  return { ...upload, id, key };
}

/**
 * Checks whether the upload has arrived as it was allowed, and marks the file as ready. Deletes it if it differs, or is a
 * banner or screenshot that cannot be shown.
 */
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
  if (file.kind !== 'evidence') {
    const head = await readFirstBytes(file.key, imageHeadBytes);
    if (!head) return 'missing';
    if (imageTypeOf(head) !== file.contentType) {
      await deleteObject(file.key);
      return 'missing';
    }
  }
  // Nothing claims evidence: it is kept for its time from the moment it has arrived.
  const kept = file.kind === 'evidence' ? { expiresAt: new Date(Date.now() + evidenceLifetime) } : {};
  // An upload that has expired belongs to the sweep, which deletes its object before its row.
  const { count } = await db.mediaFile.updateMany({
    where: { id, status: 'pending', expiresAt: { gt: new Date() } },
    data: { status: 'ready', checkAt: null, ...kept },
  });
  if (count > 0) return 'ready';
  // Somebody else may have confirmed it meanwhile.
  const ready = await db.mediaFile.findUnique({ where: { id, status: 'ready' }, select: { id: true } });
  return ready ? 'ready' : 'missing';
}

/** Checks that images have arrived and can be shown. @throws INVALID_STATE when one has not, or was deleted because it cannot */
export async function confirmImages(ids: readonly string[]): Promise<void> {
  const states = await Promise.all(ids.map(confirmUpload));
  if (!states.includes('missing')) return;
  throw refuse('INVALID_STATE', {
    message: `An image was not uploaded, is not of its content type, or is too large. Upload one with ${imageSizeLimit}.`,
  });
}

/**
 * One of the checks of a granted upload.
 * @param nextInMs when the next one is due, if it has not arrived; null: it was the last
 */
export async function checkUpload(id: string, nextInMs: number | null): Promise<'ready' | 'missing'> {
  const state = await confirmUpload(id);
  if (state === 'missing') {
    const checkAt = nextInMs === null ? null : new Date(Date.now() + nextInMs);
    await db.mediaFile.updateMany({ where: { id, status: 'pending' }, data: { checkAt } });
  }
  return state;
}

/** Uploads that nobody checks any more. */
export const uncheckedUploads: RelayedJob<{ mediaFileId: string; projectId: string; turn: string }> = {
  name: 'uploads',
  overdue: `
    SELECT "id", "projectId",
      jsonb_build_object('mediaFileId', "id", 'projectId', "projectId",
        'turn', coalesce(${projectTurnSql('"media_file"."projectId"')}, "projectId")) AS "data"
    FROM "media_file" WHERE "checkAt" <= now() - $1::interval`,
  events: (due) => due.map(({ data }) => mediaUploadGranted.create(data)),
};

/**
 * Takes confirmed uploads into use, all or none; each can be used once.
 * @throws INVALID_STATE when one was used already, has expired or is not `of` this
 */
export async function claimUploads(
  tx: Tx,
  ids: readonly string[],
  of: { kind: MediaKind; projectId: string; subjectId?: string; createdById?: string },
): Promise<void> {
  const expiresAt = { gt: new Date(Date.now() + minTimeLeftMs) };
  const { count } = await tx.mediaFile.updateMany({
    where: { ...of, id: { in: [...ids] }, status: 'ready', expiresAt },
    data: { expiresAt: null },
  });
  if (count < ids.length) {
    throw refuse('INVALID_STATE', {
      message: 'This upload was already used or has expired. Upload the image again.',
    });
  }
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

/** Files that one batch deletes, those of them at a time, and milliseconds after which no further batch begins. */
const sweptFiles = 200;
const sweptAtATime = 10;
const sweepMs = 5_000;
/** How long a file is left alone that the store did not delete, so that it keeps no other from being deleted. */
const againAfterMs = 60 * 60_000;

async function removeOrPostpone(id: string): Promise<boolean> {
  try {
    await removeExpired(id);
    return true;
  } catch (error) {
    logger.warn({ err: error, mediaFileId: id }, 'an expired file could not be deleted; will try again in an hour');
    const expiresAt = new Date(Date.now() + againAfterMs);
    await db.mediaFile.updateMany({ where: { id, expiresAt: { lte: new Date() } }, data: { expiresAt } });
    return false;
  }
}

/** Deletes expired files for a few seconds. @returns how many, and whether more may be left */
export async function removeAllExpired(): Promise<{ deleted: number; more: boolean }> {
  const until = performance.now() + sweepMs;
  let deleted = 0;
  while (performance.now() < until) {
    const ids = await expiredMedia(sweptFiles);
    for (let from = 0; from < ids.length; from += sweptAtATime) {
      const removed = await Promise.all(ids.slice(from, from + sweptAtATime).map(removeOrPostpone));
      deleted += removed.filter(Boolean).length;
    }
    if (ids.length < sweptFiles) return { deleted, more: false };
  }
  return { deleted, more: true };
}
