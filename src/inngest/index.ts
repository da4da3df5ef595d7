import type { InngestFunction } from 'inngest';
import { serve } from 'inngest/node';
import { env, publicUrl } from '@/env';
import { deleteExpired, recountTakenOver } from '@/inngest/functions/accounts';
import {
  askForVerdicts,
  deleteReports,
  deleteUnread,
  endForgotten,
  evaluateSessions,
  replayRules,
} from '@/inngest/functions/anti-cheat';
import { sendDigests } from '@/inngest/functions/email';
import { autoStart, confirmReport } from '@/inngest/functions/matches';
import { confirmUploads, deleteExpiredMedia } from '@/inngest/functions/media';
import { emitRegistrationChanges } from '@/inngest/functions/tournaments';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { inngest } from '@/server/jobs/client';

/** Every function of the product. An Inngest server and the embedded executor run the same list. */
export const functions: InngestFunction.Any[] = [
  sendDigests,
  deleteExpired,
  recountTakenOver,
  emitRegistrationChanges,
  confirmReport,
  autoStart,
  confirmUploads,
  deleteExpiredMedia,
  evaluateSessions,
  endForgotten,
  askForVerdicts,
  deleteReports,
  deleteUnread,
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
