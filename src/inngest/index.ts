import type { InngestFunction } from 'inngest';
import { serve } from 'inngest/node';
import { env, publicUrl } from '@/env';
import { deleteExpired } from '@/inngest/functions/accounts';
import { deleteReports, evaluateSessions, replayRules } from '@/inngest/functions/anti-cheat';
import { sendEmail, sweepOutbox } from '@/inngest/functions/email';
import { autoStart, confirmReport, sweepMatches } from '@/inngest/functions/matches';
import { confirmUploads, deleteExpiredMedia } from '@/inngest/functions/media';
import { emailParticipants } from '@/inngest/functions/notifications';
import { emitRegistrationChanges, sweepRegistrationChanges } from '@/inngest/functions/tournaments';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { inngest } from '@/server/jobs/client';

/** Every function of the product. An Inngest server and the embedded executor run the same list. */
export const functions: InngestFunction.Any[] = [
  sendEmail,
  sweepOutbox,
  emailParticipants,
  deleteExpired,
  emitRegistrationChanges,
  sweepRegistrationChanges,
  confirmReport,
  autoStart,
  sweepMatches,
  confirmUploads,
  deleteExpiredMedia,
  evaluateSessions,
  deleteReports,
  replayRules,
  ...webhookFunctions,
];

/** Where Laurel answers an Inngest server. */
export const inngestPath = '/api/inngest';

/**
 * What every mount serves. The address that it registers is fixed, because the Host header of a request is whatever its
 * sender wrote, and what is not signed is refused: without this anybody could lead all functions elsewhere.
 */
export const serveOptions = {
  client: inngest,
  functions,
  serveOrigin: env.INNGEST_SERVE_ORIGIN ?? publicUrl,
  servePath: inngestPath,
  enableUnauthedSync: false,
};

/** Node request listener for `inngestPath`. Not mounted with the embedded executor: its dev mode checks no signature. */
export const inngestHandler = serve(serveOptions);
