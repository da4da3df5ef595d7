import { finalPlaces, isComplete } from '@/domain/brackets/play/outcomes';
import type { Bracket } from '@/domain/brackets/types';
import type { Tx } from '@/server/db';
import type { LockedPlay, MatchRow } from './data-bracket';

type Tally = { matches: number; wins: number; losses: number };

/** Adds what a played match counts for its two participants; `sign` -1 takes it back. */
function count(tallies: Map<string, Tally>, row: MatchRow | undefined, sign: 1 | -1): void {
  if (row?.decidedBy !== 'result') return;
  for (const [id, { result }] of [
    [row.participantAId, row.slotA],
    [row.participantBId, row.slotB],
  ] as const) {
    if (id === null) continue;
    const tally = tallies.get(id) ?? { matches: 0, wins: 0, losses: 0 };
    tally.matches += sign;
    tally.wins += result === 'win' ? sign : 0;
    tally.losses += result === 'loss' ? sign : 0;
    tallies.set(id, tally);
  }
}

/**
 * Brings the statistics of players up to date with a change of play: matches that were played, and final ranks once the
 * tournament is over. Everyone on a participant's roster is counted. Byes and forfeits count for nobody.
 */
export async function recordStats(
  tx: Tx,
  play: LockedPlay,
  after: ReadonlyMap<number, MatchRow>,
  bracket: Bracket,
): Promise<void> {
  const tallies = new Map<string, Tally>();
  for (const number of new Set([...play.rows.keys(), ...after.keys()])) {
    const [before, now] = [play.rows.get(number), after.get(number)];
    if (before === now) continue;
    count(tallies, before, -1);
    count(tallies, now, 1);
  }
  const { id: tournamentId, projectId, gameId, status } = play.tournament;
  const changes = [...tallies]
    .filter(([, { matches, wins, losses }]) => matches !== 0 || wins !== 0 || losses !== 0)
    .map(([participantId, tally]) => ({ participantId, ...tally }));
  if (changes.length > 0) {
    await tx.$executeRaw`
      INSERT INTO "player_stats" AS s ("projectId", "userId", "gameId", "matches", "wins", "losses", "lastPlayedAt", "updatedAt")
      SELECT ${projectId}, u."userId", ${gameId}, sum(c."matches"), sum(c."wins"), sum(c."losses"), ${play.now}, ${play.now}
      FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        AS c("participantId" text, "matches" int, "wins" int, "losses" int)
      CROSS JOIN LATERAL (
        SELECT p."userId" FROM "participant" p WHERE p."id" = c."participantId" AND p."userId" IS NOT NULL
        UNION SELECT r."userId" FROM "roster_member" r WHERE r."participantId" = c."participantId"
      ) u GROUP BY u."userId" ORDER BY u."userId"
      ON CONFLICT ("projectId", "userId", "gameId") DO UPDATE SET
        "matches" = s."matches" + excluded."matches", "wins" = s."wins" + excluded."wins",
        "losses" = s."losses" + excluded."losses", "lastPlayedAt" = excluded."lastPlayedAt", "updatedAt" = excluded."updatedAt"`;
  }
  const [wasOver, isOver] = [status === 'COMPLETED', isComplete(bracket)];
  if (!wasOver && !isOver) return;
  const places = isOver ? finalPlaces(bracket).map(({ participantId, rank }) => ({ participantId, rank })) : [];
  await tx.$executeRaw`
    INSERT INTO "player_stats" AS s ("projectId", "userId", "gameId", "placements", "updatedAt")
    SELECT ${projectId}, u."userId", ${gameId}, jsonb_build_object(${tournamentId}::text, min(c."rank")), ${play.now}
    FROM jsonb_to_recordset(${JSON.stringify(places)}::jsonb) AS c("participantId" text, "rank" int)
    CROSS JOIN LATERAL (
      SELECT p."userId" FROM "participant" p WHERE p."id" = c."participantId" AND p."userId" IS NOT NULL
      UNION SELECT r."userId" FROM "roster_member" r WHERE r."participantId" = c."participantId"
    ) u GROUP BY u."userId" ORDER BY u."userId"
    ON CONFLICT ("projectId", "userId", "gameId") DO UPDATE SET
      "placements" = s."placements" || excluded."placements", "updatedAt" = excluded."updatedAt"`;
  if (isOver) return;
  await tx.$executeRaw`
    UPDATE "player_stats" SET "placements" = "placements" - ${tournamentId}::text, "updatedAt" = ${play.now}
    WHERE "projectId" = ${projectId} AND "gameId" = ${gameId} AND "placements" ? ${tournamentId}::text`;
}
