import { reportLifetime } from '@/domain/anticheat/lifetimes';
import { db, pool, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { takeQuota } from '@/server/limits/quotas';
import type { NewReport } from './schema';

/** Records that a client runs. @returns the time by the database's clock */
export async function recordHeartbeat(clientId: string): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>({
    name: 'anti_cheat_heartbeat',
    text: `UPDATE "anti_cheat_client" SET "lastHeartbeatAt" = clock_timestamp(), "lastHeardAt" = clock_timestamp()
           WHERE "id" = $1 RETURNING "lastHeartbeatAt" AS "now"`,
    values: [clientId],
  });
  const [row] = rows;
  if (!row) throw refuse('CLIENT_TOKEN_INVALID');
  return row.now;
}

/**
 * Stores reports of a client. Those whose sequence is known change nothing.
 * @throws QUOTA_EXCEEDED
 */
export async function storeReports(
  tx: Tx,
  clientId: string,
  reports: readonly NewReport[],
): Promise<{ accepted: number; lastSequence: number }> {
  const highest = Math.max(...reports.map(({ sequence }) => sequence));
  const [client] = await tx.$queryRaw<{ lastSequence: bigint }[]>`
    UPDATE "anti_cheat_client" SET "lastHeardAt" = clock_timestamp(),
      "lastSequence" = greatest("lastSequence", ${highest}::bigint)
    WHERE "id" = ${clientId} RETURNING "lastSequence"`;
  if (!client) throw refuse('CLIENT_TOKEN_INVALID');
  await takeQuota(tx, 'antiCheatReports', clientId, reports.length);
  const accepted = await tx.$executeRaw`
    INSERT INTO "anti_cheat_report" ("clientId", "sequence", "at", "receivedAt", "kind", "data")
    SELECT ${clientId}, r."sequence", r."at", clock_timestamp(), r."kind", r."data"
    FROM jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) AS r("sequence" bigint, "at" timestamptz, "kind" text, "data" jsonb)
    ON CONFLICT ("clientId", "sequence") DO NOTHING`;
  return { accepted, lastSequence: Number(client.lastSequence) };
}

const batch = 10_000;

/** Runs a deletion of at most `batch` rows until nothing is left. @returns how many */
async function deleteAll(deleteBatch: () => Promise<number>): Promise<number> {
  let deleted = 0;
  for (let count = batch; count === batch; deleted += count) count = await deleteBatch();
  return deleted;
}

/** Deletes reports that are older than their lifetime, in batches that lock little. @returns how many */
export function deleteOldReports(): Promise<number> {
  return deleteAll(
    () => db.$executeRaw`
      DELETE FROM "anti_cheat_report" WHERE ("clientId", "sequence") IN (
        SELECT "clientId", "sequence" FROM "anti_cheat_report"
        WHERE "receivedAt" < now() - ${reportLifetime} * interval '1 millisecond' LIMIT ${batch})`,
  );
}

/**
 * Deletes what clients sent in the last half hour, older than five minutes, while they were in no session: nothing will ever
 * read it, and anyone can enroll a client and fill the disk with it. @returns how many
 */
export function deleteUnreadReports(): Promise<number> {
  return deleteAll(
    () => db.$executeRaw`
      DELETE FROM "anti_cheat_report" WHERE ("clientId", "sequence") IN (
        SELECT r."clientId", r."sequence" FROM "anti_cheat_client" c
        JOIN "anti_cheat_report" r ON r."clientId" = c."id"
          AND r."receivedAt" BETWEEN now() - interval '30 minutes' AND now() - interval '5 minutes'
        WHERE c."lastHeardAt" > now() - interval '30 minutes' AND NOT EXISTS (
          SELECT FROM "anti_cheat_session_client" s JOIN "anti_cheat_session" a ON a."id" = s."sessionId"
          WHERE s."clientId" = c."id" AND (a."endedAt" IS NULL OR a."endedAt" > now() - interval '30 minutes'))
        LIMIT ${batch})`,
  );
}
