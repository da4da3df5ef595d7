import type { Tx } from '@/server/db';

/**
 * Whether a client that the player enrolled in the project runs: not revoked, and heard of within the last 60 seconds by
 * the database's clock. It stands below the rooms, since check-in asks it and the anti-cheat room builds on entrants.
 */
export async function isClientRunning(tx: Tx, projectId: string, userId: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ running: boolean }[]>`
    SELECT EXISTS (
      SELECT 1 FROM "anti_cheat_client"
      WHERE "userId" = ${userId} AND "projectId" = ${projectId} AND "revokedAt" IS NULL
        AND "lastHeartbeatAt" > clock_timestamp() - interval '60 seconds'
    ) AS running`;
  return row?.running ?? false;
}
