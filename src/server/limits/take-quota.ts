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

type Wanted = { name: RateName; subject: string; count: number };
type Taken = { granted: number; used_before: number; free_in_ms: bigint };

/**
 * Takes from windows of rates, in the order of their keys, so that two transactions cannot wait for each other.
 * @returns what was taken of each, in the order of `wanted`
 */
export async function takeRates(tx: Tx, wanted: readonly Wanted[]): Promise<Taken[]> {
  const windows = wanted
    .map(({ name, subject, count }) => {
      const [limit, windowMs] = [limitOf(name), quotas[name].seconds * 1000];
      return { key: windowKey(name, subject), wanted: count, limit, windowMs, slotMs: slotMsOf(limit, windowMs) };
    })
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  const rows = await tx.$queryRaw<(Taken & { key: string })[]>`
    SELECT w."key", t.granted, t.used_before, t.free_in_ms
    FROM jsonb_to_recordset(${JSON.stringify(windows)}::jsonb)
      AS w ("key" text, "wanted" int, "limit" int, "windowMs" bigint, "slotMs" bigint)
    CROSS JOIN LATERAL rate_limit_take(w."key", w."wanted", w."limit", w."windowMs", w."slotMs") t`;
  const taken = new Map(rows.map(({ key, ...one }) => [key, one]));
  return wanted.map(({ name, subject }) => {
    const one = taken.get(windowKey(name, subject));
    if (!one) throw new Error('rate_limit_take returned nothing');
    return one;
  });
}

/** Takes from windows of one rate. */
export async function takeWindows(
  tx: Tx,
  name: RateName,
  wanted: ReadonlyMap<string, number>,
): Promise<Map<string, Taken>> {
  const taken = await takeRates(
    tx,
    [...wanted].map(([subject, count]) => ({ name, subject, count })),
  );
  return new Map([...wanted.keys()].flatMap((subject, at) => (taken[at] ? [[subject, taken[at]]] : [])));
}

/**
 * Takes `count` from a rate in the transaction of what it limits, all or none: what is rolled back was not taken. The
 * window's row stays locked until the transaction ends, so the limit is exact over all processes.
 * @param subject id of whom it is counted for
 * @throws QUOTA_EXCEEDED (429) with the seconds to wait
 */
export async function takeQuota(tx: Tx, name: RateName, subject: string, count = 1): Promise<void> {
  await takeQuotas(tx, { name, subject, count });
}

/**
 * The same of several rates, in one statement.
 * @throws QUOTA_EXCEEDED (429) with the seconds to wait
 */
export async function takeQuotas(tx: Tx, ...wanted: Wanted[]): Promise<void> {
  const taken = await takeRates(tx, wanted);
  wanted.forEach((one, at) => {
    requireTaken(one, taken[at]);
  });
}

/**
 * Checks that all was taken that a subject wanted.
 * @returns how much was used before
 * @throws QUOTA_EXCEEDED (429) with the seconds to wait
 */
export function requireTaken({ name, subject, count }: Wanted, taken: Taken | undefined): number {
  if (!taken) throw new Error('rate_limit_take returned nothing');
  if (taken.granted === count) return taken.used_before;
  const wait = count > limitOf(name) ? null : Math.max(1, Math.ceil(Number(taken.free_in_ms) / 1000));
  throw rateExceeded(name, subject, { used: taken.used_before, wait });
}
