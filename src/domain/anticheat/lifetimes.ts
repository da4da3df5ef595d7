import { day } from '@/domain/time/durations';

/** Milliseconds in which a heartbeat counts as "running". */
export const runningWindow = 60_000;
/** Milliseconds after which a session that nobody ended is ended. */
export const sessionLifetime = day;
/** Milliseconds after the end of a session in which evidence of it can still be uploaded. */
export const evidenceWindow = day;
/** Milliseconds that evidence is kept. */
export const evidenceLifetime = 180 * day;
/** Milliseconds that reports are kept. */
export const reportLifetime = 30 * day;
