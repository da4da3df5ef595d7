import { eventType, staticSchema } from 'inngest';

/**
 * Events between our own functions. Each is a trigger (`triggers: [webhookEmitted]`), something to wait for, and made
 * with `webhookEmitted.create(data, { id })`. Data holds ids, not rows: functions read what is true when they run.
 */

/** A tournament's times were set or changed; its function sleeps until the next moment and is cancelled by a newer one. */
export const tournamentScheduled = eventType('tournament/scheduled', {
  schema: staticSchema<{ tournamentId: string; projectId: string }>(),
});

/** A message stands in the outbox; its function sends it. */
export const mailQueued = eventType('mail/queued', { schema: staticSchema<{ mailId: string }>() });

/** An upload was granted; its function looks whether it arrived. */
export const mediaUploadGranted = eventType('media/upload.granted', {
  schema: staticSchema<{ mediaFileId: string; projectId: string }>(),
});

/** Domain events were committed, in this order. The relay sends it; ids only. */
export const domainEventsCommitted = eventType('domain/events.committed', {
  schema: staticSchema<{ eventIds: string[] }>(),
});

/** A subscription has deliveries to attempt, at once or from `at` on (ISO 8601). Its lane says with whom it shares slots. */
export const webhookDeliveriesDue = eventType('webhook/deliveries.due', {
  schema: staticSchema<{ subscriptionId: string; lane: 'steady' | 'failing'; at: string | null }>(),
});

/** A subscription has only failed for days and will be disabled; its owners get a mail. Sent once a streak of failures. */
export const webhookSubscriptionWarned = eventType('webhook/subscription.warned', {
  schema: staticSchema<{ subscriptionId: string; reason: 'only_failures' }>(),
});

/** The sender disabled a subscription: the receiver said 410 Gone, or had nothing but failures for five days. */
export const webhookSubscriptionDisabled = eventType('webhook/subscription.disabled', {
  schema: staticSchema<{ subscriptionId: string; reason: 'gone_410' | 'only_failures' }>(),
});

/** Someone asked for many deliveries to be sent again; its function goes through them. */
export const webhookReplayRequested = eventType('webhook/replay.requested', {
  schema: staticSchema<{ replayId: string; subscriptionId: string }>(),
});

/** A result was reported; its function confirms it when nobody has answered by then (ISO 8601). */
export const matchReported = eventType('match/reported', {
  schema: staticSchema<{ matchId: string; confirmBy: string }>(),
});
