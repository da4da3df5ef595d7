import { db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { type Origin, record } from '@/server/events/emit';
import { grantUploadTo, uploadGrant } from '@/server/storage/grants';
import { claimUploads, confirmImages } from '@/server/storage/media';
import { router } from '@/server/trpc';
import { lockTournament, readDetail, type SettingsRow, settingsSelect } from './data';
import { updatedEvent } from './data-events';
import { tournamentProcedure } from './gate';
import { attachBannerInput, bannerUploadInput, tournamentDetail, tournamentIdInput } from './schema';

const upload = tournamentProcedure('tournaments:write')
  .meta({ quotas: ['uploads'] })
  .input(bannerUploadInput)
  .output(uploadGrant)
  .mutation(({ ctx, input }) => {
    const { contentType, sizeBytes, sha256 } = input;
    return grantUploadTo({
      projectId: ctx.scope.projectId,
      kind: 'tournament_banner',
      subjectId: ctx.tournamentId,
      contentType,
      sizeBytes,
      sha256,
      createdById: ctx.actingUser.id,
    });
  });

/** Changes or removes the banner. The version stays the same, because no settings form contains the banner. */
async function setBanner(tx: Tx, by: Origin, row: SettingsRow, bannerId: string | null): Promise<void> {
  const written = await tx.tournament.update({ where: { id: row.id }, data: { bannerId }, select: { id: true } });
  await record(tx, by, [updatedEvent(row, ['banner'])], {
    projectId: row.projectId,
    action: 'tournament.update',
    targetType: 'tournament',
    targetId: written.id,
    details: { changes: ['banner'], mediaFileId: bannerId },
  });
}

const attach = tournamentProcedure('tournaments:write')
  .input(attachBannerInput)
  .output(tournamentDetail)
  .mutation(async ({ ctx, input }) => {
    const { mediaFileId } = input;
    const granted = { id: mediaFileId, projectId: ctx.scope.projectId, kind: 'tournament_banner' } as const;
    const file = await ctx.db.mediaFile.findFirst({ where: granted, select: { id: true } });
    if (!file) throw refuse('NOT_FOUND', { message: 'There is no such upload.' });
    await confirmImages([mediaFileId]);
    await db.$transaction(async (tx) => {
      const { row } = await lockTournament(tx, ctx.tournamentId, settingsSelect);
      if (row.bannerId === mediaFileId) return;
      await claimUploads(tx, [mediaFileId], granted);
      await setBanner(tx, ctx.by, row, mediaFileId);
    });
    return readDetail(ctx.db, ctx.tournamentId, true);
  });

const remove = tournamentProcedure('tournaments:write')
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .mutation(async ({ ctx }) => {
    await db.$transaction(async (tx) => {
      const { row } = await lockTournament(tx, ctx.tournamentId, settingsSelect);
      if (row.bannerId !== null) await setBanner(tx, ctx.by, row, null);
    });
    return readDetail(ctx.db, ctx.tournamentId, true);
  });

/** The image at the top of a tournament's page: `upload` grants an upload, the browser uploads, `attach` shows it. */
export const bannerRouter = router({ upload, attach, remove });
