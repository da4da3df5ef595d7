import { pool } from '@/server/db';
import { projectTurnSql } from '@/server/events/project-turn';

/**
 * Disables webhooks whose endpoint is gone: at once after a 410, and after five days of nothing but failures if the owners
 * were warned at least a day before. The warning comes after three days.
 *
 * The statement that completes attempts decides this. `s` is the subscription's row and `sum` the summary of a batch of
 * results, as `attempts/complete.ts` makes it.
 */

const failsSql = `s.status = 'active' AND sum.fails > 0 AND NOT sum.ok`;
const warnsSql = `(${failsSql} AND s."failureWarnedAt" IS NULL AND s."failingSince" <= now() - interval '3 days')`;
const onlyFailuresSql = `(${failsSql} AND s."failingSince" <= now() - interval '5 days'
  AND s."failureWarnedAt" <= now() - interval '1 day')`;
const disablesSql = `(s.status <> 'disabled' AND (sum.gone OR ${onlyFailuresSql}))`;

/** The columns about lasting failure after a batch of results. */
export const autoDisableColumnsSql = `
    "failingSince" = CASE WHEN sum.fails = 0 THEN CASE WHEN NOT sum.ok THEN s."failingSince" END WHEN sum.ok THEN now() ELSE coalesce(s."failingSince", now()) END,
    "failureWarnedAt" = CASE WHEN ${warnsSql} THEN now() WHEN sum.ok THEN NULL ELSE s."failureWarnedAt" END,
    status = CASE WHEN ${disablesSql} THEN 'disabled' ELSE s.status END,
    "disabledAt" = CASE WHEN ${disablesSql} THEN now() ELSE s."disabledAt" END,
    "disabledReason" = CASE WHEN ${disablesSql} THEN CASE WHEN sum.gone THEN 'gone_410' ELSE 'only_failures' END
      ELSE s."disabledReason" END,
    version = CASE WHEN ${disablesSql} THEN s.version + 1 ELSE s.version END,
    "updatedAt" = CASE WHEN ${disablesSql} THEN now() ELSE s."updatedAt" END`;

export type DisabledReason = 'gone_410' | 'only_failures';

/** A warning to owners, or that their subscription was disabled. */
export type OwnerNotice = { subscriptionId: string } & (
  | { kind: 'warned' }
  | { kind: 'disabled'; reason: DisabledReason }
);

/**
 * Notices of the last day that nobody was emailed about, in turns of who created the projects, and of theirs in any order: those that fail
 * must not keep others from the limit.
 */
export async function findNewNotices(limit: number): Promise<OwnerNotice[]> {
  const found = await pool.query<OwnerNotice>(
    `SELECT n.id AS "subscriptionId", n.kind, n.reason FROM (
       SELECT id, "projectId", 'disabled' AS kind, "disabledReason" AS reason, "disabledAt" AS at, "ownersEmailedAt" FROM webhook_subscription
       WHERE status = 'disabled' AND "disabledReason" IN ('gone_410', 'only_failures')
       UNION ALL
       SELECT id, "projectId", 'warned', NULL, "failureWarnedAt", "ownersEmailedAt" FROM webhook_subscription WHERE status = 'active'
     ) n
     WHERE n.at > now() - interval '1 day' AND (n."ownersEmailedAt" IS NULL OR n."ownersEmailedAt" < n.at)
     ORDER BY row_number() OVER (PARTITION BY ${projectTurnSql('n."projectId"')} ORDER BY random()), random() LIMIT $1`,
    [limit],
  );
  return found.rows;
}
