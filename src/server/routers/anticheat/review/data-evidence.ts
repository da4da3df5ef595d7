import type { EvidenceKind } from '@/domain/anticheat/evidence';
import type { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, type Origin } from '@/server/events/emit';
import { type PageInput, pageArgs } from '@/server/paging';
import { type AskedDetection, noSuchDetection, readable } from './data-detection';

/** The evidence of a detection that has arrived: its own, and its session's that names no detection. @throws NOT_FOUND */
async function ofDetection(tx: Tx, asked: AskedDetection) {
  const { projectId, detectionId } = asked;
  const found = await tx.detection.findFirst({ where: readable(asked), select: { sessionId: true } });
  if (!found) throw noSuchDetection();
  return {
    projectId,
    kind: 'evidence',
    status: 'ready',
    subjectId: found.sessionId,
    OR: [{ detectionId: null }, { detectionId }],
  } satisfies Prisma.MediaFileWhereInput;
}

const columns = {
  id: true,
  evidenceKind: true,
  contentType: true,
  sizeBytes: true,
  detectionId: true,
  createdAt: true,
} as const;

/** One page of the evidence of a detection, the newest first, and how many files there are. */
export async function listEvidence(tx: Tx, subject: AskedDetection, page: PageInput) {
  const where = await ofDetection(tx, subject);
  const counted = { sessionId: where.subjectId, detectionId: { in: ['', subject.detectionId] } };
  const [rows, { _sum }] = await Promise.all([
    tx.mediaFile.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      select: columns,
      ...pageArgs(page),
    }),
    tx.evidenceCount.aggregate({ where: counted, _sum: { files: true } }),
  ]);
  const items = rows.map(({ evidenceKind, detectionId, createdAt, ...row }) => ({
    ...row,
    kind: (evidenceKind ?? 'other') as EvidenceKind,
    isForDetection: detectionId !== null,
    uploadedAt: createdAt.toISOString(),
  }));
  return { items, total: _sum.files ?? 0 };
}

/** A file of evidence of a detection, once the audit log says who looks at it. @throws NOT_FOUND */
export async function openEvidence(tx: Tx, by: Origin, subject: AskedDetection, mediaFileId: string) {
  const where = { ...(await ofDetection(tx, subject)), id: mediaFileId };
  const file = await tx.mediaFile.findFirst({
    where,
    select: { key: true, contentType: true, evidenceKind: true, sizeBytes: true },
  });
  if (!file) throw refuse('NOT_FOUND', { message: 'There is no such evidence.' });
  await audit(tx, by, {
    projectId: subject.projectId,
    action: 'evidence.view',
    targetType: 'evidence',
    targetId: mediaFileId,
    details: { kind: file.evidenceKind, detectionId: subject.detectionId },
  });
  return file;
}
