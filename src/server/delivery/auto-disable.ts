import { pool } from '@/server/db';
import { webhookSubscriptionDisabled, webhookSubscriptionWarned } from '@/server/jobs/events';

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

type NoticeRow = { subscriptionId: string; kind: 'warned' | 'disabled'; reason: DisabledReason; at: Date };
/** A warning, or that a subscription was disabled; `at` is ISO 8601. */
export type OwnerNotice = Omit<NoticeRow, 'at'> & { at: string };

/** Notices of the last two hours. The sweep sends each of them every time; the id of its event makes it count once. */
export async function findRecentNotices(limit: number): Promise<OwnerNotice[]> {
  const found = await pool.query<NoticeRow>(
    `SELECT id AS "subscriptionId", 'disabled' AS kind, "disabledReason" AS reason, "disabledAt" AS at FROM webhook_subscription
     WHERE status = 'disabled' AND "disabledReason" IN ('gone_410', 'only_failures') AND "disabledAt" > now() - interval '2 hours'
     UNION ALL
     SELECT id, 'warned', 'only_failures', "failureWarnedAt" FROM webhook_subscription
     WHERE status = 'active' AND "failureWarnedAt" > now() - interval '2 hours'
     LIMIT $1`,
    [limit],
  );
  return found.rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

/** The Inngest event of a notice, with an id of its own, so that each counts once however often it is sent. */
export function noticeEvent({ subscriptionId, kind, reason, at }: OwnerNotice) {
  const id = `${kind}:${subscriptionId}:${at}`;
  return kind === 'warned'
    ? webhookSubscriptionWarned.create({ subscriptionId, reason: 'only_failures' }, { id })
    : webhookSubscriptionDisabled.create({ subscriptionId, reason }, { id });
}
