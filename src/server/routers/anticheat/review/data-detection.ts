import { ruleOf, type Verdict } from '@/domain/anticheat/reviews';
import { thresholdsOf, windowMs } from '@/domain/anticheat/rules';
import { Prisma } from '@/generated/prisma/client';
import type { AiVerdictFailure, AntiCheatGame } from '@/generated/prisma/enums';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { type ItemRow, itemColumns, itemJoins, toItem } from './data-queue';
import type { DetectionDetail } from './schema';

type Row = ItemRow & {
  windowStart: Date;
  figures: Record<string, unknown>;
  thresholds: Record<string, number>;
  clientId: string;
  aiVerdict: Verdict | null;
  aiConfidence: number | null;
  aiModel: string | null;
  aiVerdictAt: Date | null;
  aiVerdictPending: boolean;
  aiVerdictFailure: AiVerdictFailure | null;
  game: AntiCheatGame;
  startedAt: Date;
  endedAt: Date | null;
  endReason: string | null;
  requested: number;
  wired: number;
  clientFound: boolean;
  deviceName: string | null;
  enrolledAt: Date;
  revokedAt: Date | null;
  lastHeardAt: Date | null;
};

export const noSuchDetection = () => refuse('NOT_FOUND', { message: 'There is no such detection.' });

/** Who asks for which detection. */
export type AskedDetection = { projectId: string; detectionId: string; readerId: string };

/** A detection that somebody may read: nobody reads one of their own, and it is as if there were none. */
export const readable = ({ projectId, detectionId: id, readerId }: AskedDetection) =>
  ({ id, projectId, userId: { not: readerId } }) satisfies Prisma.DetectionWhereInput;

/** Most participants to choose from. */
const maxParticipants = 20;

/**
 * The player as a participant: of the match, or, where the match is an id of the integrator's own, of the tournaments that
 * are open or running.
 */
function findParticipants(
  tx: Tx,
  {
    projectId,
    matchId,
    userId,
    tournamentId,
  }: { projectId: string; matchId: string; userId: string; tournamentId: string | null },
): Promise<DetectionDetail['participants']> {
  const place = tournamentId
    ? Prisma.sql`p."id" IN (SELECT unnest(ARRAY["participantAId", "participantBId"]) FROM "match" WHERE "id" = ${matchId})`
    : Prisma.sql`t."status" IN ('PUBLISHED', 'IN_PROGRESS') AND p."registrationStatus" = 'approved'`;
  return tx.$queryRaw<DetectionDetail['participants']>`
    SELECT p."id", p."name", t."id" AS "tournamentId", t."name" AS "tournamentName" FROM (
      SELECT "id" FROM "participant" WHERE "userId" = ${userId}
      UNION SELECT "participantId" FROM "roster_member" WHERE "userId" = ${userId}
    ) own JOIN "participant" p USING ("id") JOIN "tournament" t ON t."id" = p."tournamentId"
    WHERE t."projectId" = ${projectId} AND ${place}
    ORDER BY t."startDate" DESC, p."id" LIMIT ${maxParticipants}`;
}

/** One detection of a project with its session and client. @throws NOT_FOUND */
export async function readDetection(tx: Tx, asked: AskedDetection): Promise<DetectionDetail> {
  const { projectId, detectionId, readerId } = asked;
  const [row] = await tx.$queryRaw<Row[]>`
    SELECT ${itemColumns}, d."windowStart", d."figures", d."thresholds", d."clientId", d."aiVerdict", d."aiConfidence",
      d."aiModel", d."aiVerdictAt", d."aiVerdictDueAt" IS NOT NULL AS "aiVerdictPending", d."aiVerdictFailure", s."game", s."startedAt", s."endedAt",
      s."endReason", cardinality(s."requestedUserIds") AS "requested", c."id" IS NOT NULL AS "clientFound", c."deviceName",
      c."createdAt" AS "enrolledAt", c."revokedAt", c."lastHeardAt",
      (SELECT count(DISTINCT a."userId")::int FROM "anti_cheat_session_client" w
        JOIN "anti_cheat_client" a ON a."id" = w."clientId" WHERE w."sessionId" = s."id") AS "wired"
    FROM "detection" d JOIN "anti_cheat_session" s ON s."id" = d."sessionId"
    LEFT JOIN "anti_cheat_client" c ON c."id" = d."clientId" ${itemJoins}
    WHERE d."id" = ${detectionId} AND d."projectId" = ${projectId} AND d."userId" <> ${readerId}`;
  if (!row) throw noSuchDetection();
  const {
    windowStart,
    figures,
    thresholds,
    clientId,
    game,
    startedAt,
    endedAt,
    endReason,
    requested,
    wired,
    ...others
  } = row;
  const { aiVerdict, aiConfidence, aiModel, aiVerdictAt, ...rest } = others;
  const { clientFound, deviceName, enrolledAt, revokedAt, lastHeardAt, ...item } = rest;
  const { key } = ruleOf(item.ruleId);
  const { aiVerdictPending, aiVerdictFailure } = item;
  const hasVerdict = aiVerdict !== null && aiConfidence !== null && aiModel !== null && aiVerdictAt !== null;
  return {
    ...toItem(item),
    aiVerdict: hasVerdict
      ? { verdict: aiVerdict, confidence: aiConfidence, model: aiModel, at: aiVerdictAt.toISOString() }
      : null,
    aiVerdictPending,
    aiVerdictFailure,
    participants: await findParticipants(tx, { projectId, ...item }),
    windowStart: windowStart.toISOString(),
    windowEnd: new Date(windowStart.getTime() + windowMs).toISOString(),
    figures,
    thresholds: key ? thresholdsOf(key, thresholds) : thresholds,
    session: {
      id: item.sessionId,
      game,
      startedAt: startedAt.toISOString(),
      endedAt: endedAt?.toISOString() ?? null,
      endReason,
      requested,
      wired,
    },
    client: clientFound
      ? {
          id: clientId,
          deviceName,
          enrolledAt: enrolledAt.toISOString(),
          revokedAt: revokedAt?.toISOString() ?? null,
          lastHeardAt: lastHeardAt?.toISOString() ?? null,
        }
      : null,
  };
}
