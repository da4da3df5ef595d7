import { ruleOf } from '@/domain/anticheat/reviews';
import { thresholdsOf, windowMs } from '@/domain/anticheat/rules';
import type { AntiCheatGame } from '@/generated/prisma/enums';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { type ItemRow, itemColumns, itemJoins, toItem } from './data-queue';
import type { DetectionDetail } from './schema';

type Row = ItemRow & {
  windowStart: Date;
  figures: Record<string, unknown>;
  thresholds: Record<string, number>;
  clientId: string;
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

const noSuchDetection = () => refuse('NOT_FOUND', { message: 'There is no such detection.' });

/** One detection of a project with its session and client. @throws NOT_FOUND */
export async function readDetection(tx: Tx, projectId: string, detectionId: string): Promise<DetectionDetail> {
  const [row] = await tx.$queryRaw<Row[]>`
    SELECT ${itemColumns}, d."windowStart", d."figures", d."thresholds", d."clientId", s."game", s."startedAt", s."endedAt",
      s."endReason", cardinality(s."requestedUserIds") AS "requested", c."id" IS NOT NULL AS "clientFound", c."deviceName",
      c."createdAt" AS "enrolledAt", c."revokedAt", c."lastHeardAt",
      (SELECT count(*)::int FROM "anti_cheat_session_client" w WHERE w."sessionId" = s."id") AS "wired"
    FROM "detection" d JOIN "anti_cheat_session" s ON s."id" = d."sessionId"
    LEFT JOIN "anti_cheat_client" c ON c."id" = d."clientId" ${itemJoins}
    WHERE d."id" = ${detectionId} AND d."projectId" = ${projectId}`;
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
  const { clientFound, deviceName, enrolledAt, revokedAt, lastHeardAt, ...item } = others;
  const { key } = ruleOf(item.ruleId);
  return {
    ...toItem(item),
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
