import { runningWindow } from '@/domain/anticheat/lifetimes';
import type { Tx } from '@/server/db';

/**
 * Whether the player's anti-cheat client in the project is running: it is not revoked, and its last heartbeat is at most
 * 60 seconds old by the database's clock.
 */
export async function isClientRunning(tx: Tx, projectId: string, userId: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ running: boolean }[]>`
    SELECT EXISTS (
      SELECT 1 FROM "anti_cheat_client"
      WHERE "userId" = ${userId} AND "projectId" = ${projectId} AND "revokedAt" IS NULL
        AND "lastHeartbeatAt" > clock_timestamp() - ${runningWindow} * interval '1 millisecond'
    ) AS running`;
  return row?.running ?? false;
}
