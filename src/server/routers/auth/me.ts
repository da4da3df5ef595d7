import { audit } from '@/server/events/emit';
import { accessTokens } from '@/server/routers/auth/access-tokens';
import { endSessions, lockCaller, meSelect, presentMe } from '@/server/routers/auth/data';
import { emailSettings } from '@/server/routers/auth/email-settings';
import { limits } from '@/server/routers/auth/limits';
import { me, signedOut, updateMeInput } from '@/server/routers/auth/schema';
import { router, userProcedure } from '@/server/trpc';

const tags = ['Me'];

const get = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/me',
      tags,
      summary: 'Read your account',
      description: 'Your name, email address, time zone and settings.',
    },
  })
  .output(me)
  .query(async ({ ctx }) => {
    return presentMe(await ctx.db.user.findUniqueOrThrow({ where: { id: ctx.actingUser.id }, select: meSelect }));
  });

const update = userProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/me',
      tags,
      summary: 'Change your name, time zone or email setting',
      description: 'Fields that you leave out do not change.',
    },
  })
  .input(updateMeInput)
  .output(me)
  .mutation(async ({ ctx, input }) => {
    const { name, timezone, emailNotifications } = input;
    const data = { name, timezone, emailNotifications };
    return ctx.db.$transaction(async (tx) => {
      await lockCaller(tx, ctx.actingUser);
      return presentMe(await tx.user.update({ where: { id: ctx.actingUser.id }, data, select: meSelect }));
    });
  });

const signOutEverywhere = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/me/sign-out-everywhere',
      tags,
      summary: 'Sign out everywhere',
      description: 'Ends web sessions, access tokens and refresh tokens. Personal access tokens keep working.',
    },
  })
  .output(signedOut)
  .mutation(async ({ ctx }) => {
    const { id } = ctx.actingUser;
    await ctx.db.$transaction(async (tx) => {
      await lockCaller(tx, ctx.actingUser);
      await audit(tx, ctx.by, { projectId: null, action: 'user.sign_out', targetType: 'user', targetId: id });
      // After the entry, which is written for a session that has not ended.
      await endSessions(tx, id, { accessTokens: false });
    });
    return { signedOut: true };
  });

/** The account of the signed-in user. */
export const meRouter = router({ get, update, signOutEverywhere, accessTokens, mail: emailSettings, limits });
