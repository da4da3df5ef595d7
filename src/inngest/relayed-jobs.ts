import { stalledReplays } from '@/server/delivery/replay';
import { unsentEmails } from '@/server/email/outbox';
import type { RelayedJob } from '@/server/events/relay';
import { missedStarts } from '@/server/routers/matches/draw/data-auto-start';
import { missedConfirmations } from '@/server/routers/matches/results/data-results';
import { unwrittenEmails } from '@/server/routers/participants/data-emails';
import { missedRegistrationChanges } from '@/server/routers/tournaments/data-schedule';
import { uncheckedUploads } from '@/server/storage/media';

/**
 * What the relay looks after. An event of ours that no schedule makes up for belongs to one of these; webhooks that are due
 * are found by the drain, and what runs by a cron is found by its next run.
 */
export const relayedJobs: readonly RelayedJob<never>[] = [
  unwrittenEmails,
  unsentEmails,
  missedRegistrationChanges,
  missedStarts,
  missedConfirmations,
  stalledReplays,
  uncheckedUploads,
];
