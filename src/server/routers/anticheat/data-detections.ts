import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import type { DetectionItem } from './schema';

type Row = Omit<DetectionItem, 'raisedAt'> & { raisedAt: Date };

/** How many files of evidence a detection `d` has: its own, and its session's that name no detection. */
export const evidenceCount = Prisma.sql`
  (SELECT coalesce(sum(e."files"), 0) FROM "evidence_count" e
    WHERE e."sessionId" = d."sessionId" AND e."detectionId" IN ('', d."id"))::int`;

/**
 * Whether a session that started at a time is of somebody who had the account of `player` before its owner took it over, in SQL: all
 * clients that it covers were enrolled before, and stopped working then.
 */
export const isBeforeTakeover = (startedAt: Prisma.Sql) =>
  Prisma.sql`coalesce(player."takenOverAt" > ${startedAt}, false)`;

/** The same of the session of a detection `d`. */
export const raisedBeforeTakeover = isBeforeTakeover(
  Prisma.sql`(SELECT x."startedAt" FROM "anti_cheat_session" x WHERE x."id" = d."sessionId")`,
);

/** Detections of a project, newest first, those before the id `cursor`. */
export async function listDetections(
  tx: Tx,
  projectId: string,
  { limit, unreviewedOnly, cursor }: { limit: number; unreviewedOnly: boolean; cursor: string | undefined },
): Promise<DetectionItem[]> {
  const rows = await tx.$queryRaw<Row[]>`
    SELECT d."id", d."sessionId", d."matchId", d."userId", d."ruleId", d."rule", d."severity", d."raisedAt",
      d."verdict" IS NOT NULL AS "reviewed", d."aiVerdict" IS NOT NULL AS "hasAiVerdict",
      ${evidenceCount} AS "evidenceCount", ${raisedBeforeTakeover} AS "beforeTakeover"
    FROM "detection" d LEFT JOIN "user" player ON player."id" = d."userId"
    WHERE d."projectId" = ${projectId}
      ${cursor === undefined ? Prisma.empty : Prisma.sql`AND d."id" < ${cursor}`}
      ${unreviewedOnly ? Prisma.sql`AND d."verdict" IS NULL` : Prisma.empty}
    ORDER BY d."id" DESC LIMIT ${limit}`;
  return rows.map((row) => ({ ...row, raisedAt: row.raisedAt.toISOString() }));
}
