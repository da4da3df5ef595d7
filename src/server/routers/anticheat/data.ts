import { antiCheatGames } from '@/domain/anticheat/games';
import { runningWindow } from '@/domain/anticheat/lifetimes';
import type { Tx } from '@/server/db';

/**
 * Whether the player's anti-cheat client for a tournament is running: it is not revoked, its last heartbeat is at most 60
 * seconds old by the database's clock, and sessions of the tournament cover it. Those of a game that clients cannot be
 * enrolled for may be for any of theirs.
 */
export async function isClientRunning(
  tx: Tx,
  { projectId, gameId }: { projectId: string; gameId: string },
  userId: string,
): Promise<boolean> {
  const game = antiCheatGames.find((one) => one === gameId) ?? null;
  const [row] = await tx.$queryRaw<{ running: boolean }[]>`
    SELECT EXISTS (
      SELECT 1 FROM "anti_cheat_client"
      WHERE "userId" = ${userId} AND "projectId" = ${projectId} AND "revokedAt" IS NULL
        AND (${game}::text IS NULL OR "game" IS NULL OR "game" = ${game})
        AND "lastHeartbeatAt" > clock_timestamp() - ${runningWindow} * interval '1 millisecond'
    ) AS running`;
  return row?.running ?? false;
}
