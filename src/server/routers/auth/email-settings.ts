import { readUnsubscribeToken, setEmailNotifications } from '@/server/email/unsubscribe';
import { refuse } from '@/server/errors';
import { emailSettingsInput, emailSettingsOutput, setEmailSettingsInput } from '@/server/routers/auth/schema';
import { publicProcedure, router } from '@/server/trpc';

/** `ada@example.com` → `a…@example.com`: the owner recognizes it, and others with the link do not learn it. */
function masked(email: string): string {
  return email.replace(/^(.).*(?=@)/, '$1…');
}

/** The settings of the user whose token is in the email's link. */
const read = publicProcedure
  .input(emailSettingsInput)
  .output(emailSettingsOutput)
  .query(async ({ ctx, input }) => {
    const id = readUnsubscribeToken(input.token);
    const row = id
      ? await ctx.db.user.findUnique({ where: { id }, select: { email: true, emailNotifications: true } })
      : null;
    if (!row) throw refuse('INVALID_TOKEN');
    return { email: masked(row.email), emailNotifications: row.emailNotifications };
  });

/** Turns their emails off or on, without signing in. */
const set = publicProcedure
  .input(setEmailSettingsInput)
  .output(emailSettingsOutput)
  .mutation(async ({ input }) => {
    const row = await setEmailNotifications(input.token, input.emailNotifications);
    if (!row) throw refuse('INVALID_TOKEN');
    return { email: masked(row.email), emailNotifications: row.emailNotifications };
  });

export const emailSettings = router({ read, set });
