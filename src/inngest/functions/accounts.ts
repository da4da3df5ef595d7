import { cron } from 'inngest';
import { deleteOldEmails } from '@/server/email/outbox';
import { inngest } from '@/server/jobs/client';
import { deleteExpiredTokens } from '@/server/routers/auth/data';

/** Deletes expired links and refresh tokens, and old emails. */
export const deleteExpired = inngest.createFunction(
  { id: 'delete-expired', triggers: [cron('17 3 * * *')] },
  async ({ step }) => {
    const tokens = await step.run('delete-tokens', () => deleteExpiredTokens());
    const emails = await step.run('delete-emails', () => deleteOldEmails());
    return { tokens, emails };
  },
);
