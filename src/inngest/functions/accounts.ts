import { cron } from 'inngest';
import { deleteOldEmails } from '@/server/email/outbox';
import { deleteOldMarks } from '@/server/events/relay';
import { inngest } from '@/server/jobs/client';
import { deleteExpiredTokens, deleteUnusedAccounts } from '@/server/routers/auth/data-deletions';

/** Deletes expired links and tokens, accounts that were never used, old emails, and what the relay remembers. */
export const deleteExpired = inngest.createFunction(
  { id: 'delete-expired', triggers: [cron('17 3 * * *')] },
  async ({ step }) => {
    const tokens = await step.run('delete-tokens', () => deleteExpiredTokens());
    const accounts = await step.run('delete-accounts', () => deleteUnusedAccounts());
    const emails = await step.run('delete-emails', () => deleteOldEmails());
    const marks = await step.run('delete-marks', () => deleteOldMarks());
    return { tokens, accounts, emails, marks };
  },
);
