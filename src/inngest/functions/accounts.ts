import { cron } from 'inngest';
import { inngest } from '@/server/jobs/client';
import { forgetExpired } from '@/server/routers/auth/data';

/** Deletes links, refresh tokens and sent emails that are of no use any more. */
export const deleteExpiredTokens = inngest.createFunction(
  { id: 'delete-expired-tokens', triggers: [cron('17 3 * * *')] },
  async ({ step }) => step.run('delete', () => forgetExpired()),
);
