import { evidenceWindow } from '@/domain/anticheat/lifetimes';
import { refuse } from '@/server/errors';
import { grantUploadTo, uploadGrant } from '@/server/storage/grants';
import { apiKeyProcedure } from '@/server/trpc';
import { presignInput } from './schema';

export const presign = apiKeyProcedure('anticheat:evidence.write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/anti-cheat/evidence/presign',
      tags: ['Anti-cheat'],
      summary: 'Get an upload URL for evidence',
      description:
        'Then PUT the bytes to `uploadUrl` with `requiredHeaders`, within five minutes. The store rejects other bytes, another size and another type. Evidence can be uploaded until a day after the session ended.',
    },
    status: 201,
    errors: ['NOT_FOUND', 'SESSION_ENDED'],
    quotas: ['evidence', 'evidenceKib'],
  })
  .input(presignInput)
  .output(uploadGrant)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.key;
    const { sessionId, detectionId, kind, contentType, sizeBytes, sha256 } = input;
    const session = await ctx.db.antiCheatSession.findFirst({
      where: { id: sessionId, projectId },
      select: { endedAt: true, detections: { where: { id: detectionId ?? '' }, select: { id: true } } },
    });
    if (!session) throw refuse('NOT_FOUND', { message: 'There is no such session.' });
    if (detectionId !== undefined && session.detections.length === 0) {
      throw refuse('NOT_FOUND', { message: 'The session has no such detection.' });
    }
    if (session.endedAt && Date.now() - session.endedAt.getTime() > evidenceWindow) throw refuse('SESSION_ENDED');
    return grantUploadTo({
      projectId,
      kind: 'evidence',
      subjectId: sessionId,
      contentType,
      sizeBytes,
      sha256,
      createdById: ctx.key.id,
      evidenceKind: kind,
      detectionId,
    });
  });
