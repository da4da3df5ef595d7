import { cron } from 'inngest';
import { queueDigests } from '@/server/email/digest';
import { inngest } from '@/server/jobs/client';

const maxDigests = 200;

/** Writes the digests that are due. */
export const sendDigests = inngest.createFunction(
  { id: 'send-digests', triggers: [cron('* * * * *')] },
  async ({ step }) => ({ sent: await step.run('write', () => queueDigests(maxDigests)) }),
);
