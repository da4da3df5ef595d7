import { cron } from 'inngest';
import { deleteOldEmails } from '@/server/email/outbox';
import { deleteOldMarks } from '@/server/events/relay';
import { inngest } from '@/server/jobs/client';
import { deleteExpiredTokens } from '@/server/routers/auth/data';

/** Deletes expired links and refresh tokens, old emails, and what the relay remembers. */
export const deleteExpired = inngest.createFunction(
  { id: 'delete-expired', triggers: [cron('17 3 * * *')] },
  async ({ step }) => {
    const tokens = await step.run('delete-tokens', () => deleteExpiredTokens());
    const emails = await step.run('delete-emails', () => deleteOldEmails());
    const marks = await step.run('delete-marks', () => deleteOldMarks());
    return { tokens, emails, marks };
  },
);
