import { refuse } from '@/server/errors';
import { notifyPages, requireRight } from '@/server/events/emit';
import { takeQuotas } from '@/server/limits/take-quota';
import { addLines } from '@/server/routers/matches/data-lines';
import { matchProcedure } from '@/server/routers/matches/gate';
import { downloadGrant, grantUploadTo, uploadGrant } from '@/server/storage/grants';
import { presignDownload } from '@/server/storage/object-store';
import {
  canSendScreenshots,
  canWrite,
  claimScreenshots,
  confirmScreenshots,
  listThread,
  type Reader,
  readMessage,
  showsScreenshot,
} from './data-thread';
import {
  listMessagesInput,
  listMessagesOutput,
  message,
  postMessageInput,
  screenshotInput,
  screenshotUploadInput,
} from './schema';

const tags = ['Matches'];

type Caller = { actingUser: { id: string }; canModerate: boolean; match: { id: string; mine: string[] } };

const readerOf = (ctx: Caller): Reader => ({
  matchId: ctx.match.id,
  userId: ctx.actingUser.id,
  isStaff: ctx.canModerate,
  mine: ctx.match.mine,
});

const nothingDisputed = () =>
  refuse('INVALID_STATE', { message: 'Nothing is disputed. Dispute the reported result first.' });

export const listMessages = matchProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/matches/{matchId}/messages',
      tags,
      summary: 'Read the thread of a match',
      description:
        'What the sides and moderators wrote, reported, proposed and decided, newest first, the last 5,000 lines at most. Only they can read it, and who a correction has put into the match, or who has claimed a guest, reads what came after; so does who joins its roster later.',
    },
  })
  .input(listMessagesInput)
  .output(listMessagesOutput)
  .query(async ({ ctx, input }) => {
    const [thread, canPost] = await Promise.all([
      listThread(ctx.db, readerOf(ctx), input),
      canWrite(ctx.db, ctx.match.id, ctx.canModerate),
    ]);
    return { ...thread, canPost };
  });

export const postMessage = matchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/messages',
      tags,
      summary: 'Write in the thread of a match',
      description:
        'A dispute opens the thread for the players of both sides until the match is decided; moderators can always write, and only they once a side has used up its messages.',
    },
    status: 201,
    errors: ['INVALID_STATE', 'EMAIL_NOT_CONFIRMED'],
    quotas: ['matchMessages', 'matchLines', 'screenshotKib'],
  })
  .input(postMessageInput)
  .output(message)
  .mutation(async ({ ctx, input }) => {
    if (!ctx.actingUser.emailVerified) throw refuse('EMAIL_NOT_CONFIRMED');
    const { id: matchId, tournamentId, projectId, mine } = ctx.match;
    const userId = ctx.actingUser.id;
    const { text, mediaFileIds } = input;
    const isStaff = ctx.canModerate && mine.length === 0;
    const screenshots = { ids: mediaFileIds, projectId, tournamentId, matchId, userId, isStaff };
    await confirmScreenshots(screenshots);
    return ctx.db.$transaction(async (tx) => {
      await requireRight(tx, ctx.by);
      if (!(await canWrite(tx, matchId, ctx.canModerate))) throw nothingDisputed();
      const [side = null] = mine;
      const ofSide = side === null ? [] : [{ name: 'matchLines', subject: `${matchId} ${side}`, count: 1 } as const];
      await takeQuotas(tx, { name: 'matchMessages', subject: userId, count: 1 }, ...ofSide);
      await claimScreenshots(tx, screenshots);
      const line = { matchId, participantId: side, kind: 'comment', text, mediaFileIds } as const;
      const [id = ''] = await addLines(tx, ctx.by, line);
      notifyPages(tx, { type: 'thread.changed', projectId, tournamentId, matchId });
      return readMessage(tx, id);
    });
  });

export const grantScreenshot = matchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/media',
      tags,
      summary: 'Grant the upload of a screenshot',
      description:
        'One PUT of exactly these bytes, for whoever can dispute the result or write in the thread now. Name the file in a dispute or a message within a day, or it is deleted.',
    },
    status: 201,
    errors: ['EMAIL_NOT_CONFIRMED', 'INVALID_STATE', 'NOT_READY'],
    quotas: ['screenshots', 'screenshotsPerDay'],
  })
  .input(screenshotUploadInput)
  .output(uploadGrant)
  .mutation(async ({ ctx, input }) => {
    if (!ctx.actingUser.emailVerified) throw refuse('EMAIL_NOT_CONFIRMED');
    if (!(await canSendScreenshots(ctx.db, readerOf(ctx)))) throw nothingDisputed();
    const { contentType, sizeBytes, sha256 } = input;
    const { id: subjectId, projectId } = ctx.match;
    const createdById = ctx.actingUser.id;
    return grantUploadTo({
      projectId,
      kind: 'match_screenshot',
      subjectId,
      contentType,
      sizeBytes,
      sha256,
      createdById,
    });
  });

export const viewScreenshot = matchProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/matches/{matchId}/media/{mediaFileId}',
      tags,
      summary: 'Get the address of a screenshot',
      description: 'It can be read there for five minutes.',
    },
    errors: ['NOT_READY'],
  })
  .input(screenshotInput)
  .output(downloadGrant)
  .query(async ({ ctx, input }) => {
    const file = await ctx.db.mediaFile.findFirst({
      // Only what a message shows: an upload that nobody has sent yet stays private.
      where: { id: input.mediaFileId, subjectId: ctx.match.id, kind: 'match_screenshot', expiresAt: null },
      select: { key: true, contentType: true },
    });
    if (!file || !(await showsScreenshot(ctx.db, readerOf(ctx), input.mediaFileId))) {
      throw refuse('NOT_FOUND', { message: 'There is no such screenshot.' });
    }
    const { url, expiresAt } = await presignDownload(file.key);
    return { url, contentType: file.contentType, expiresAt: expiresAt.toISOString() };
  });
