import type { InngestFunction } from 'inngest';
import { serve } from 'inngest/node';
import { forgetExpiredTokens } from '@/inngest/functions/accounts';
import { sendMail, sweepMail } from '@/inngest/functions/email';
import { confirmReports, sweepReports } from '@/inngest/functions/matches';
import { confirmMedia, sweepMedia } from '@/inngest/functions/media';
import { notifyEntrants } from '@/inngest/functions/notifications';
import { followSchedule, sweepSchedules } from '@/inngest/functions/tournaments';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { inngest } from '@/server/jobs/client';

/** Every function of the product. An Inngest server and the embedded executor run the same list. */
export const functions: InngestFunction.Any[] = [
  sendMail,
  sweepMail,
  notifyEntrants,
  forgetExpiredTokens,
  followSchedule,
  sweepSchedules,
  confirmReports,
  sweepReports,
  confirmMedia,
  sweepMedia,
  ...webhookFunctions,
];

/** Node request listener for `/api/inngest`. Not mounted with the embedded executor: its dev mode checks no signature. */
export const inngestHandler = serve({ client: inngest, functions });
