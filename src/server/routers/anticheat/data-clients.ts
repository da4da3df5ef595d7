import { runningWindow } from '@/domain/anticheat/lifetimes';
import { newId } from '@/domain/ids';
import type { AntiCheatGame } from '@/generated/prisma/enums';
import { mintClientToken } from '@/server/auth/anti-cheat-clients';
import type { AuthUser } from '@/server/auth/bearer';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, type Origin } from '@/server/events/emit';
import { requireRoom, takeQuota } from '@/server/limits/take-quota';
import { lockCaller } from '@/server/routers/auth/data';

const noSuchClient = () => refuse('NOT_FOUND', { message: 'You have no such anti-cheat client.' });

/**
 * Whether someone may know of a project and enroll in it: a member, one of its players, or anyone once it has published a
 * tournament.
 */
export async function isKnownTo(tx: Tx, projectId: string, userId: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ known: boolean }[]>`
    SELECT EXISTS (SELECT FROM "member" WHERE "projectId" = ${projectId} AND "userId" = ${userId})
      OR EXISTS (SELECT FROM "tournament" WHERE "projectId" = ${projectId} AND "publishedAt" IS NOT NULL
        AND "visibility" <> 'private')
      OR EXISTS (SELECT FROM (
          SELECT "tournamentId" FROM "participant" WHERE "userId" = ${userId}
          UNION ALL SELECT "tournamentId" FROM "roster_member" WHERE "userId" = ${userId}
        ) own JOIN "tournament" t ON t."id" = own."tournamentId"
        WHERE t."projectId" = ${projectId} AND t."publishedAt" IS NOT NULL) AS known`;
  return row?.known ?? false;
}

/**
 * Enrolls a client of the player in a project.
 * @returns its id and the token, which is stored as a hash only
 * @throws NOT_FOUND, QUOTA_EXCEEDED, UNAUTHENTICATED
 */
export async function enrollClient(
  tx: Tx,
  by: Origin,
  user: AuthUser,
  client: { projectId: string; game: AntiCheatGame | null; deviceName: string | null },
): Promise<{ id: string; clientToken: string }> {
  const { projectId, game, deviceName } = client;
  const { id: userId } = user;
  if (!(await isKnownTo(tx, projectId, userId))) throw refuse('NOT_FOUND', { message: 'There is no such project.' });
  // Two enrollments of one player at once must not both see the last free place.
  await lockCaller(tx, user);
  requireRoom('antiCheatClients', userId, await tx.antiCheatClient.count({ where: { userId, revokedAt: null } }));
  await takeQuota(tx, 'antiCheatEnrollments', userId);
  const id = newId('acl');
  const { token, tokenHash } = mintClientToken();
  await tx.antiCheatClient.create({
    data: { id, projectId, userId, game, deviceName, tokenHash },
    select: { id: true },
  });
  await audit(tx, by, {
    projectId: null,
    action: 'anti_cheat_client.enroll',
    targetType: 'anti_cheat_client',
    targetId: id,
    details: { projectId, game, deviceName },
  });
  return { id, clientToken: token };
}

/** Revokes a client of the player; it is refused from then on. @throws NOT_FOUND, UNAUTHENTICATED */
export async function revokeClient(tx: Tx, by: Origin, user: AuthUser, clientId: string): Promise<Date> {
  await lockCaller(tx, user);
  const revokedAt = new Date();
  const { count } = await tx.antiCheatClient.updateMany({
    where: { id: clientId, userId: user.id, revokedAt: null },
    data: { revokedAt },
  });
  if (count === 0) throw noSuchClient();
  const target = { targetType: 'anti_cheat_client', targetId: clientId } as const;
  await audit(tx, by, { projectId: null, action: 'anti_cheat_client.revoke', ...target });
  return revokedAt;
}

/** Gives a client of the player a new token; the old one stops working. @throws NOT_FOUND, UNAUTHENTICATED */
export async function rotateClient(tx: Tx, by: Origin, user: AuthUser, clientId: string): Promise<string> {
  await lockCaller(tx, user);
  const { id: userId } = user;
  await takeQuota(tx, 'antiCheatEnrollments', userId);
  const { token, tokenHash } = mintClientToken();
  const { count } = await tx.antiCheatClient.updateMany({
    where: { id: clientId, userId, revokedAt: null },
    data: { tokenHash },
  });
  if (count === 0) throw noSuchClient();
  const target = { targetType: 'anti_cheat_client', targetId: clientId } as const;
  await audit(tx, by, { projectId: null, action: 'anti_cheat_client.rotate', ...target });
  return token;
}

export type ClientRow = {
  id: string;
  projectId: string;
  projectName: string;
  game: string | null;
  deviceName: string | null;
  running: boolean;
  lastHeartbeatAt: Date | null;
  lastReportAt: Date | null;
  createdAt: Date;
  total: number;
};

/** The clients of a player that are not revoked, newest first, with how many there are. */
export function listClients(
  tx: Tx,
  userId: string,
  { projectId, skip, take }: { projectId: string | undefined; skip: number; take: number },
): Promise<ClientRow[]> {
  return tx.$queryRaw<ClientRow[]>`
    SELECT c."id", c."projectId", p."name" AS "projectName", c."game", c."deviceName", c."lastHeartbeatAt", c."createdAt",
      (SELECT max(r."receivedAt") FROM "anti_cheat_report" r WHERE r."clientId" = c."id") AS "lastReportAt",
      coalesce(c."lastHeartbeatAt" > clock_timestamp() - ${runningWindow} * interval '1 millisecond', false) AS "running",
      (count(*) OVER ())::int AS "total"
    FROM "anti_cheat_client" c JOIN "project" p ON p."id" = c."projectId"
    WHERE c."userId" = ${userId} AND c."revokedAt" IS NULL AND (${projectId ?? null}::text IS NULL OR c."projectId" = ${projectId ?? null})
    ORDER BY c."createdAt" DESC, c."id" DESC LIMIT ${take} OFFSET ${skip}`;
}
