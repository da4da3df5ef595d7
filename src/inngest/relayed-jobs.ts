import { stalledReplays } from '@/server/delivery/replay';
import type { RelayedJob } from '@/server/events/relay';
import { missedStarts } from '@/server/routers/matches/draw/data-auto-start';
import { missedConfirmations } from '@/server/routers/matches/results/data-results';
import { missedRegistrationChanges } from '@/server/routers/tournaments/data-schedule';
import { uncheckedUploads } from '@/server/storage/media';

/**
 * What the relay looks after. An event of ours that no schedule makes up for belongs to one of these; webhooks and
 * emails that are due are found by the drain, and what runs by a cron is found by its next run.
 */
export const relayedJobs: readonly RelayedJob<never>[] = [
  missedRegistrationChanges,
  missedStarts,
  missedConfirmations,
  stalledReplays,
  uncheckedUploads,
];
