import { fileNameOf } from '@/domain/anticheat/evidence';
import { toPage } from '@/server/paging';
import { projectProcedure } from '@/server/routers/projects/gate';
import { downloadGrant } from '@/server/storage/grants';
import { presignDownload } from '@/server/storage/object-store';
import { listEvidence, openEvidence } from './data-evidence';
import { evidenceInput, evidencePage, viewInput } from './schema';

/** The evidence of a detection, the newest first. */
export const evidence = projectProcedure('anticheat:read')
  .input(evidenceInput)
  .output(evidencePage)
  .query(async ({ ctx, input }) => {
    const { detectionId } = input;
    const asked = { projectId: ctx.scope.projectId, detectionId, readerId: ctx.actingUser.id };
    const { items, total } = await listEvidence(ctx.db, asked, input);
    return toPage(items, total, input);
  });

/** The address of a file of evidence for five minutes. A mutation, because every view goes into the audit log. */
export const viewEvidence = projectProcedure('anticheat:read')
  .meta({ errors: ['NOT_FOUND', 'NOT_READY'] })
  .input(viewInput)
  .output(downloadGrant)
  .mutation(async ({ ctx, input }) => {
    const { detectionId, mediaFileId } = input;
    const subject = { projectId: ctx.scope.projectId, detectionId, readerId: ctx.actingUser.id };
    const file = await ctx.db.$transaction((tx) => openEvidence(tx, ctx.by, subject, mediaFileId));
    const { contentType } = file;
    const { url, expiresAt } = await presignDownload(file.key, {
      fileName: fileNameOf(mediaFileId, contentType),
      contentType,
    });
    return { url, contentType, expiresAt: expiresAt.toISOString() };
  });
