import { sessionLifetime } from '@/domain/anticheat/lifetimes';
import { newId } from '@/domain/ids';
import { Prisma } from '@/generated/prisma/client';
import type { AntiCheatGame } from '@/generated/prisma/enums';
import { db, type Tx } from '@/server/db';
import { emit, type Origin, systemActor } from '@/server/events/emit';
import { turnsOfRowsSql } from '@/server/events/project-turn';
import { requireRoom, takeQuota } from '@/server/limits/take-quota';
import { logger } from '@/server/logger';
import { evaluateSession } from './data-evaluation';

/** Clients in one session, and of them for each player: what its rules read in a minute stays bounded. */
const maxClients = 400;
const clientsPerPlayer = 5;
/**
 * Milliseconds of evaluation after which a session is ended with the rest left to later. Ending may wait for a round that
 * evaluates the session, and both have to fit into one transaction.
 */
const finalEvaluationMs = 2_000;

/**
 * The players of a match of the project; none when it is not one of its matches. Also those who were named and have not accepted:
 * not accepting would be a way round anti-cheat otherwise.
 */
async function readRoster(tx: Tx, projectId: string, matchId: string): Promise<string[]> {
  const rows = await tx.$queryRaw<{ userId: string }[]>`
    SELECT DISTINCT u."userId" FROM "match" m
    JOIN "tournament" t ON t."id" = m."tournamentId" AND t."projectId" = ${projectId}
    JOIN "participant" p ON p."id" IN (m."participantAId", m."participantBId")
    CROSS JOIN LATERAL (
      SELECT p."userId" WHERE p."type" = 'individual' AND p."userId" IS NOT NULL
      UNION ALL SELECT r."userId" FROM "roster_member" r WHERE r."participantId" = p."id" AND r."userId" IS NOT NULL
    ) u
    WHERE m."id" = ${matchId}`;
  return rows.map(({ userId }) => userId);
}

/**
 * Starts a session and wires in the clients of its players that are enrolled in the project for the game, and not revoked.
 * Without `userIds`, the players are the match's roster. Of each player the 5 clients heard last; of all at most 400, every
 * player's first before anybody's second.
 * @throws QUOTA_EXCEEDED
 */
export async function startSession(
  tx: Tx,
  {
    projectId,
    game,
    matchId: given,
    userIds,
  }: {
    projectId: string;
    game: AntiCheatGame;
    matchId: string | undefined;
    userIds: string[] | undefined;
  },
): Promise<{ sessionId: string; matchId: string }> {
  const matchId = given ?? newId('mat');
  const ofRoster = userIds === undefined;
  const players = userIds ?? (given === undefined ? [] : await readRoster(tx, projectId, given));
  const requestedUserIds = [...new Set(players)];
  // Two starts at once must not both see the last free place.
  await tx.$queryRaw`SELECT 1 FROM "project" WHERE "id" = ${projectId} FOR NO KEY UPDATE`;
  const running = await tx.antiCheatSession.count({ where: { projectId, endedAt: null } });
  requireRoom('antiCheatSessions', projectId, running);
  // Sessions stay with their clients, also those that end at once.
  await takeQuota(tx, 'antiCheatSessionsPerDay', projectId);
  const id = newId('acs');
  const data = { id, projectId, matchId, game, requestedUserIds, ofRoster };
  await tx.antiCheatSession.create({ data, select: { id: true } });
  await tx.$executeRaw`
    INSERT INTO "anti_cheat_session_client" ("sessionId", "clientId")
    SELECT ${id}, c."id" FROM (
      SELECT "id", row_number() OVER (PARTITION BY "userId" ORDER BY "lastHeardAt" DESC NULLS LAST, "id" DESC) AS "place"
      FROM "anti_cheat_client"
      WHERE "projectId" = ${projectId} AND "userId" = ANY(${requestedUserIds}) AND "revokedAt" IS NULL
        AND ("game" IS NULL OR "game" = ${game})) c
    WHERE c."place" <= ${clientsPerPlayer} ORDER BY c."place", c."id" LIMIT ${maxClients}`;
  return { sessionId: id, matchId };
}

type EndedSession = { ended: boolean; endedAt: Date | null };

type LockedSession = {
  id: string;
  projectId: string;
  matchId: string;
  game: AntiCheatGame;
  startedAt: Date;
  endedAt: Date | null;
  now: Date;
};
const lockedColumns = Prisma.sql`
  "id", "projectId", "matchId", "game", "startedAt", "endedAt", date_trunc('milliseconds', clock_timestamp()) AS "now"`;

/** Marks a locked session as ended now and emits `anticheat.session_completed`. Rounds evaluate what is left of it. */
async function markEnded(tx: Tx, by: Origin, session: LockedSession, reason: string | null): Promise<void> {
  const { id: sessionId, projectId, matchId, game, startedAt, now: endedAt } = session;
  await tx.antiCheatSession.update({
    where: { id: sessionId },
    data: { endedAt, endReason: reason },
    select: { id: true },
  });
  const [detectionCount, wired] = await Promise.all([
    tx.detection.count({ where: { sessionId } }),
    tx.antiCheatSessionClient.findMany({ where: { sessionId }, select: { client: { select: { userId: true } } } }),
  ]);
  await emit(tx, by, {
    projectId,
    type: 'anticheat.session_completed',
    aggregateId: sessionId,
    payload: {
      sessionId,
      matchId,
      game,
      userIds: [...new Set(wired.map(({ client }) => client.userId))].sort(),
      detectionCount,
      reason,
      startedAt: startedAt.toISOString(),
      endedAt: endedAt.toISOString(),
    },
  });
}

/**
 * Ends a session of the project once: evaluates what is left as far as the time allows, and emits
 * `anticheat.session_completed`. An id that the project does not have changes nothing, and ending again only says when
 * it ended.
 * @param budgetMs of evaluation; the next rounds evaluate what it leaves
 */
export async function endSession(
  tx: Tx,
  by: Origin,
  { projectId, sessionId, reason }: { projectId: string; sessionId: string; reason: string | null },
  budgetMs = finalEvaluationMs,
): Promise<EndedSession> {
  const [session] = await tx.$queryRaw<LockedSession[]>`
    SELECT ${lockedColumns} FROM "anti_cheat_session" WHERE "id" = ${sessionId} AND "projectId" = ${projectId} FOR UPDATE`;
  if (!session) return { ended: false, endedAt: null };
  if (session.endedAt) return { ended: true, endedAt: session.endedAt };
  await evaluateSession(tx, sessionId, { until: session.now, isFinal: true, budgetMs });
  await markEnded(tx, by, session, reason);
  return { ended: true, endedAt: session.now };
}

/**
 * Sessions that have run for a day, in turns of who created the projects, and of theirs the oldest first. Of each project only as
 * many are read as are asked for.
 */
export const forgottenStatement = (limit: number) => Prisma.sql`
  ${Prisma.raw(turnsOfRowsSql('"anti_cheat_session" r WHERE r."endedAt" IS NULL'))}
  SELECT "id" FROM (
    SELECT f.*, row_number() OVER (PARTITION BY t."turn" ORDER BY f."startedAt") AS "place" FROM "turns" t CROSS JOIN LATERAL (
      SELECT s."id", s."startedAt" FROM "anti_cheat_session" s
      WHERE s."projectId" = t."projectId" AND s."endedAt" IS NULL
        AND s."startedAt" < now() - ${sessionLifetime} * interval '1 millisecond'
      ORDER BY s."startedAt" LIMIT ${limit}) f) fair
  ORDER BY "place", "startedAt" LIMIT ${limit}`;

/** Ends a session with the reason `expired`, unless it has ended or is in use. @returns whether it did */
function expire(sessionId: string): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const [session] = await tx.$queryRaw<LockedSession[]>`
      SELECT ${lockedColumns} FROM "anti_cheat_session" WHERE "id" = ${sessionId} AND "endedAt" IS NULL FOR UPDATE SKIP LOCKED`;
    if (!session) return false;
    await markEnded(tx, { actor: systemActor, requestId: null }, session, 'expired');
    return true;
  });
}

/**
 * Ends sessions that have run for a day, because nobody will. What is left of them is evaluated in the rounds: only there do the
 * sessions of one person not delay those of others.
 * @param budgetMs after which no further one is ended
 * @returns how many
 */
export async function endForgottenSessions(limit: number, budgetMs: number): Promise<number> {
  const deadline = performance.now() + budgetMs;
  let ended = 0;
  for (const { id } of await db.$queryRaw<{ id: string }[]>(forgottenStatement(limit))) {
    try {
      if (await expire(id)) ended += 1;
    } catch (error) {
      logger.error({ err: error, sessionId: id }, 'could not end a forgotten anti-cheat session');
    }
    if (performance.now() >= deadline) break;
  }
  return ended;
}
