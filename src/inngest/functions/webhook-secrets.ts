import { cron } from 'inngest';
import { forgetPreviousSecrets, renewSecrets } from '@/server/delivery/secrets';
import { inngest } from '@/server/jobs/client';

const atOnce = 200;
const roundsAtMost = 50;

/** After a change of SECRETS_KEY, brings the secrets of webhooks under the new key; drops those whose overlap is over. */
export const renewWebhookSecrets = inngest.createFunction(
  { id: 'webhook-secrets', name: 'Webhooks: renew secrets', triggers: [cron('7 * * * *')] },
  async ({ step }) => {
    await step.run('forget', forgetPreviousSecrets);
    let after = '';
    for (let round = 1; round <= roundsAtMost; round += 1) {
      const from = after;
      const last = await step.run(`renew-${round}`, () => renewSecrets(from, atOnce));
      if (last === null) return;
      after = last;
    }
  },
);
