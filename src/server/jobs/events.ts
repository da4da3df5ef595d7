import { eventType, staticSchema } from 'inngest';

/**
 * Events between our own functions. Each can be a trigger (`triggers: [matchReported]`) and is made with
 * `matchReported.create(data, { id })`. Data contains ids, not rows: functions read the current state when they run.
 * `turn` is the owner of `turnOfProject`, for functions that run in turns.
 */

/** A tournament's times changed. Its function sleeps until the next of them; a newer event cancels it. */
export const tournamentScheduled = eventType('tournament/scheduled', {
  schema: staticSchema<{ tournamentId: string; projectId: string; turn: string }>(),
});

/** A client may upload a file; a function checks whether it arrives. */
export const mediaUploadGranted = eventType('media/upload.granted', {
  schema: staticSchema<{ mediaFileId: string; projectId: string; turn: string }>(),
});

/** A process wants a run that carries its sending of webhooks and emails. */
export const webhookDrainRequested = eventType('webhook/drain.requested', {
  schema: staticSchema<Record<string, never>>(),
});

/** A subscription has deliveries to attempt from `at` on (ISO 8601). */
export const webhookDeliveriesDue = eventType('webhook/deliveries.due', {
  schema: staticSchema<{ subscriptionId: string; at: string; turn: string }>(),
});

/** Many deliveries of a subscription are to be sent again. */
export const webhookReplayRequested = eventType('webhook/replay.requested', {
  schema: staticSchema<{ replayId: string; subscriptionId: string; turn: string; userId: string }>(),
});

/** A result was reported; its function confirms it when nobody has answered by then (ISO 8601; null: silence does not). */
export const matchReported = eventType('match/reported', {
  schema: staticSchema<{ matchId: string; projectId: string; turn: string; confirmBy: string | null }>(),
});

/** The owner of an account took it over, and it is to lose what it played where it was substituted before. */
export const placesDisowned = eventType('account/places.disowned', {
  schema: staticSchema<{ userId: string }>(),
});

/** Anti-cheat rules are to be applied again to stored reports. */
export const antiCheatReplayRequested = eventType('anti-cheat/replay.requested', {
  schema: staticSchema<{ replayId: string; turn: string; userId: string }>(),
});

/** The verdict provider is to be asked about a detection. */
export const verdictDue = eventType('anti-cheat/verdict.due', {
  schema: staticSchema<{ detectionId: string; projectId: string; turn: string }>(),
});
