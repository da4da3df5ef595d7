import { cron } from 'inngest';
import { inngest } from '@/server/jobs/client';
import { forgetExpired } from '@/server/routers/auth/data';

/** Deletes links, refresh tokens and sent mail that nothing can use any more. */
export const forgetExpiredTokens = inngest.createFunction(
  { id: 'forget-expired-tokens', triggers: [cron('17 3 * * *')] },
  async ({ step }) => step.run('forget', () => forgetExpired()),
);
