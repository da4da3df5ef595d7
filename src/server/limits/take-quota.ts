import type { Plan } from '@/domain/projects/plans';
import type { Tx } from '@/server/db';
import { type Refusal, refuse } from '@/server/errors';
import { isNews } from '@/server/limits/news';
import { exceededText } from '@/server/limits/quota-words';
import { limitOf, type NumberName, type QuotaName, quotas, type RateName } from '@/server/limits/quotas';
import { slotMsOf } from '@/server/limits/sliding-window';
import { logger } from '@/server/logger';
import { countQuotaExceeded } from '@/server/metrics';

/** Counts and logs that someone ran into a quota. */
export function reportExceeded(name: QuotaName, subject: string): void {
  countQuotaExceeded(name);
  if (isNews(`${name} ${subject}`)) logger.warn({ quota: name, subject }, 'a quota is used up');
}

/**
 * Checks that one more fits a number. The caller has counted `used` under a lock that everyone takes who adds one.
 * @param subject id of whom it is counted for, for the log
 * @throws QUOTA_EXCEEDED (409)
 */
export function requireRoom(name: NumberName, subject: string, used: number, plan?: Plan): void {
  const limit = limitOf(name, plan);
  if (used < limit) return;
  reportExceeded(name, subject);
  throw refuse('QUOTA_EXCEEDED', { message: exceededText(name, plan) });
}

/**
 * The refusal of a rate.
 * @param state.wait seconds until it makes sense to try again; null when what was asked for never fits
 */
export function rateExceeded(name: RateName, subject: string, state: { used: number; wait: number | null }): Refusal {
  reportExceeded(name, subject);
  const limit = limitOf(name);
  const { used, wait } = state;
  return refuse('QUOTA_EXCEEDED', {
    message: exceededText(name),
    ...(wait === null ? {} : { retryAfter: wait }),
    rate: {
      limit,
      remaining: Math.max(limit - used, 0),
      resetAt: Math.ceil(Date.now() / 1000) + (wait ?? 0),
    },
  });
}

/** The key under which a quota's window is kept. */
export function windowKey(name: RateName, subject: string): string {
  return `quota:${name}:${subject}`;
}

/**
 * Gives an account all its rates anew, also those counted for it together with a tournament or match: whoever had used them up was
 * somebody else.
 */
export async function renewRates(tx: Tx, userId: string): Promise<void> {
  const keys = Object.keys(quotas).map((name) => windowKey(name as RateName, userId));
  await tx.$executeRaw`DELETE FROM "rate_limit_window" WHERE "subject" = ANY(${keys}::text[])`;
  // As in the index "rate_limit_window_of_player".
  await tx.$executeRaw`
    DELETE FROM "rate_limit_window" WHERE "subject" LIKE 'quota:% usr_%' AND split_part("subject", ' ', 2) = ${userId}`;
}

type Taken = { granted: number; used_before: number; free_in_ms: bigint };

/** Takes from windows of one rate, in the order of their keys, so that two transactions cannot wait for each other. */
export async function takeWindows(
  tx: Tx,
  name: RateName,
  wanted: ReadonlyMap<string, number>,
): Promise<Map<string, Taken>> {
  const limit = limitOf(name);
  const windowMs = quotas[name].seconds * 1000;
  const subjects = [...wanted.keys()].sort();
  const rows = await tx.$queryRaw<(Taken & { subject: string })[]>`
    SELECT w."subject", t.granted, t.used_before, t.free_in_ms
    FROM unnest(${subjects}::text[], ${subjects.map((subject) => wanted.get(subject) ?? 0)}::int[])
      AS w ("subject", "wanted")
    CROSS JOIN LATERAL rate_limit_take(${windowKey(name, '')} || w."subject", w."wanted", ${limit}::int,
      ${windowMs}::bigint, ${slotMsOf(limit, windowMs)}::bigint) t`;
  return new Map(rows.map(({ subject, ...taken }) => [subject, taken]));
}

/**
 * Takes `count` from a rate in the transaction of what it limits, all or none: what is rolled back was not taken. The
 * window's row stays locked until the transaction ends, so the limit is exact over all processes.
 * @param subject id of whom it is counted for
 * @throws QUOTA_EXCEEDED (429) with the seconds to wait
 */
export async function takeQuota(tx: Tx, name: RateName, subject: string, count = 1): Promise<void> {
  requireTaken(name, subject, count, await takeWindows(tx, name, new Map([[subject, count]])));
}

/**
 * Checks that `takeWindows` took all that a subject wanted.
 * @throws QUOTA_EXCEEDED (429) with the seconds to wait
 */
export function requireTaken(name: RateName, subject: string, count: number, all: ReadonlyMap<string, Taken>): void {
  const taken = all.get(subject);
  if (!taken) throw new Error('rate_limit_take returned nothing');
  if (taken.granted === count) return;
  const wait = count > limitOf(name) ? null : Math.max(1, Math.ceil(Number(taken.free_in_ms) / 1000));
  throw rateExceeded(name, subject, { used: taken.used_before, wait });
}
