import { runningWindow } from '@/domain/anticheat/lifetimes';
import { Prisma } from '@/generated/prisma/client';
import type { AntiCheatGame } from '@/generated/prisma/enums';
import type { Tx } from '@/server/db';
import { type Asker, report } from '@/server/report';
import { isBeforeTakeover } from '@/server/routers/anticheat/data-detections';
import type { SessionItem, SessionPlayer } from './schema';

const isRunning = Prisma.sql`
  coalesce(c."lastHeartbeatAt" > clock_timestamp() - ${runningWindow} * interval '1 millisecond' AND c."revokedAt" IS NULL, false)`;

type SessionRow = Omit<SessionItem, 'match' | 'startedAt' | 'endedAt' | 'game'> & {
  game: AntiCheatGame;
  startedAt: Date;
  endedAt: Date | null;
  number: number | null;
  tournamentSlug: string | null;
  tournamentName: string | null;
  total: number;
};

/** Sessions of a project, the newest first, with how many there are. */
export async function listSessions(
  asker: Asker,
  projectId: string,
  filter: { sessionId?: string; matchId?: string; isRunning?: boolean; skip: number; take: number },
): Promise<{ items: SessionItem[]; total: number }> {
  const { sessionId, matchId, skip, take } = filter;
  const wanted = [
    Prisma.sql`s."projectId" = ${projectId}`,
    ...(sessionId === undefined ? [] : [Prisma.sql`s."id" = ${sessionId}`]),
    ...(matchId === undefined ? [] : [Prisma.sql`s."matchId" = ${matchId}`]),
    ...(filter.isRunning === undefined ? [] : [Prisma.sql`(s."endedAt" IS NULL) = ${filter.isRunning}`]),
  ];
  const rows = await report<SessionRow>(
    asker,
    Prisma.sql`
    WITH page AS (
      SELECT s.*, (count(*) OVER ())::int AS "total" FROM "anti_cheat_session" s WHERE ${Prisma.join(wanted, ' AND ')}
      ORDER BY s."startedAt" DESC, s."id" DESC LIMIT ${take} OFFSET ${skip}
    )
    SELECT s."id", s."game", s."matchId", s."startedAt", s."endedAt", s."endReason", s."total",
      cardinality(s."requestedUserIds") AS "requested", w."covered", w."running",
      (SELECT count(*) FROM "detection" d WHERE d."sessionId" = s."id")::int AS "detections",
      m."number", t."slug" AS "tournamentSlug", t."name" AS "tournamentName"
    FROM page s
    CROSS JOIN LATERAL (
      SELECT count(DISTINCT c."userId")::int AS "covered",
        (count(DISTINCT c."userId") FILTER (WHERE ${isRunning}))::int AS "running"
      FROM "anti_cheat_session_client" w JOIN "anti_cheat_client" c ON c."id" = w."clientId" WHERE w."sessionId" = s."id"
    ) w
    LEFT JOIN ("match" m JOIN "tournament" t ON t."id" = m."tournamentId")
      ON m."id" = s."matchId" AND t."projectId" = s."projectId"
    ORDER BY s."startedAt" DESC, s."id" DESC`,
  );
  const items = rows.map(({ total: _, number, tournamentSlug, tournamentName, ...row }) => ({
    ...row,
    startedAt: row.startedAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    match:
      number === null || tournamentSlug === null || tournamentName === null
        ? null
        : { number, tournamentSlug, tournamentName },
  }));
  return { items, total: rows[0]?.total ?? 0 };
}

type ClientRow = Omit<SessionPlayer['clients'][number], 'lastHeardAt' | 'firstReportAt' | 'clockAheadMs'> & {
  userId: string;
  lastHeardAt: Date | null;
  firstReportAt: Date | null;
  clockAheadMs: bigint | null;
};

function readClients(tx: Tx, sessionId: string, userIds: readonly string[]): Promise<ClientRow[]> {
  return tx.$queryRaw<ClientRow[]>`
    SELECT c."id", c."userId", c."deviceName", ${isRunning} AS "running", c."lastHeardAt", w."firstReportAt",
      w."clockAheadMs", c."revokedAt" IS NOT NULL AS "revoked"
    FROM "anti_cheat_session_client" w JOIN "anti_cheat_client" c ON c."id" = w."clientId"
    WHERE w."sessionId" = ${sessionId} AND c."userId" = ANY(${userIds})
    ORDER BY c."lastHeardAt" DESC NULLS LAST, c."id"`;
}

/** The players of a session, those that were asked for and those whose clients it covers, by name. */
export async function listSessionPlayers(
  tx: Tx,
  asker: Asker,
  sessionId: string,
  { skip, take }: { skip: number; take: number },
): Promise<{ items: SessionPlayer[]; total: number }> {
  const beforeTakeover = isBeforeTakeover(
    Prisma.sql`(SELECT "startedAt" FROM "anti_cheat_session" WHERE "id" = ${sessionId})`,
  );
  const people = await report<Omit<SessionPlayer, 'clients'> & { total: number }>(
    asker,
    Prisma.sql`
    WITH asked AS (
      SELECT unnest("requestedUserIds") AS "userId" FROM "anti_cheat_session" WHERE "id" = ${sessionId}
    ), people AS (
      SELECT "userId" FROM asked
      UNION SELECT c."userId" FROM "anti_cheat_session_client" w JOIN "anti_cheat_client" c ON c."id" = w."clientId"
      WHERE w."sessionId" = ${sessionId}
    )
    SELECT p."userId", CASE WHEN NOT ${beforeTakeover} THEN player."name" END AS "name", ${beforeTakeover} AS "beforeTakeover",
      p."userId" IN (SELECT "userId" FROM asked) AS "requested",
      (SELECT count(*) FROM "detection" d WHERE d."sessionId" = ${sessionId} AND d."userId" = p."userId")::int AS "detections",
      (count(*) OVER ())::int AS "total"
    FROM people p LEFT JOIN "user" player ON player."id" = p."userId"
    ORDER BY "name" NULLS LAST, p."userId" LIMIT ${take} OFFSET ${skip}`,
  );
  const clients = await readClients(
    tx,
    sessionId,
    people.map(({ userId }) => userId),
  );
  const items = people.map(({ total: _, ...person }) => ({
    ...person,
    clients: clients
      .filter(({ userId }) => userId === person.userId)
      .map(({ userId: _user, lastHeardAt, firstReportAt, clockAheadMs, ...client }) => ({
        ...client,
        lastHeardAt: lastHeardAt?.toISOString() ?? null,
        firstReportAt: firstReportAt?.toISOString() ?? null,
        clockAheadMs: clockAheadMs === null ? null : Number(clockAheadMs),
      })),
  }));
  return { items, total: people[0]?.total ?? 0 };
}
