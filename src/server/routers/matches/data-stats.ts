import { finalPlaces, isComplete } from '@/domain/brackets/play/outcomes';
import type { Bracket } from '@/domain/brackets/types';
import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import type { LockedPlay, MatchRow } from './data-bracket';
import { participantsWith, playedBy, playersAt } from './stats/data-players';

/** What a participant gained or lost; `at` says which roster it is counted for. */
type Entry = {
  participantId: string;
  at: string;
  matches: number;
  wins: number;
  losses: number;
  /** Final rank; null: none is known, or the entry is about matches. */
  rank: number | null;
};

/** Adds what a played match counts for its two participants; `sign` -1 takes it back. */
function count(entries: Map<string, Entry>, row: MatchRow | undefined, sign: 1 | -1): void {
  if (row?.decidedBy !== 'result' || row.completedAt === null) return;
  const at = row.completedAt;
  for (const [participantId, { result }] of [
    [row.participantAId, row.slotA],
    [row.participantBId, row.slotB],
  ] as const) {
    if (participantId === null) continue;
    const key = `${participantId} ${at}`;
    const entry = entries.get(key) ?? { participantId, at, matches: 0, wins: 0, losses: 0, rank: null };
    entry.matches += sign;
    entry.wins += result === 'win' ? sign : 0;
    entry.losses += result === 'loss' ? sign : 0;
    entries.set(key, entry);
  }
}

/** The final ranks of everyone in a bracket, for the rosters as they are; null while there is none. */
function placements(bracket: Bracket, isOver: boolean): Entry[] {
  const ranks = new Map(isOver ? finalPlaces(bracket).map(({ participantId, rank }) => [participantId, rank]) : []);
  return bracket.participants.map(({ participantId }) => {
    return { participantId, at: 'infinity', matches: 0, wins: 0, losses: 0, rank: ranks.get(participantId) ?? null };
  });
}

/**
 * Brings the statistics of players up to date with a change of play: matches that were played, and final ranks once the
 * tournament is over. Everyone who was on a participant's roster is counted. Byes and forfeits count for nobody.
 * `rebuildStats` computes the same figures from nothing.
 */
export async function recordStats(
  tx: Tx,
  play: LockedPlay,
  after: ReadonlyMap<number, MatchRow>,
  bracket: Bracket,
): Promise<void> {
  const tallies = new Map<string, Entry>();
  for (const number of new Set([...play.rows.keys(), ...after.keys()])) {
    const [before, now] = [play.rows.get(number), after.get(number)];
    if (before === now) continue;
    count(tallies, before, -1);
    count(tallies, now, 1);
  }
  const { id: tournamentId, projectId, gameId, status } = play.tournament;
  const played = [...tallies.values()].filter(({ matches, wins, losses }) => matches || wins || losses);
  const isOver = isComplete(bracket);
  const isRanked = isOver || status === 'COMPLETED';
  const entries = isRanked ? [...played, ...placements(bracket, isOver)] : played;
  if (entries.length === 0) return;
  // One statement in the order of users, so that two changes wait for each other instead of deadlocking.
  await tx.$executeRaw`
    INSERT INTO "player_stats" AS s
      ("projectId", "userId", "gameId", "matches", "wins", "losses", "placements", "lastPlayedAt", "updatedAt")
    SELECT ${projectId}, u."userId", ${gameId}, sum(c."matches"), sum(c."wins"), sum(c."losses"),
      CASE WHEN min(c."rank") IS NULL THEN '{}' ELSE jsonb_build_object(${tournamentId}::text, min(c."rank")) END,
      max(c."at") FILTER (WHERE c."matches" > 0), ${play.now}
    FROM jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
      AS c("participantId" text, "at" timestamptz, "matches" int, "wins" int, "losses" int, "rank" int)
    CROSS JOIN LATERAL ${playersAt(Prisma.sql`c."participantId"`, Prisma.sql`c."at"`)} u
    GROUP BY u."userId" ORDER BY u."userId"
    ON CONFLICT ("projectId", "userId", "gameId") DO UPDATE SET
      "matches" = s."matches" + excluded."matches", "wins" = s."wins" + excluded."wins",
      "losses" = s."losses" + excluded."losses",
      "placements" = CASE WHEN ${isRanked} THEN (s."placements" - ${tournamentId}::text) || excluded."placements"
        ELSE s."placements" END,
      "lastPlayedAt" = greatest(s."lastPlayedAt", excluded."lastPlayedAt"), "updatedAt" = excluded."updatedAt"`;
  const lost = played.filter(({ matches }) => matches < 0);
  if (lost.length > 0) await readLastPlayed(tx, play, lost);
}

/**
 * Reads anew when players last played, after a result was taken back. Without `MATERIALIZED` PostgreSQL would compute what
 * all of them have played once for each of them.
 */
async function readLastPlayed(tx: Tx, play: LockedPlay, lost: readonly Entry[]): Promise<void> {
  const { projectId, gameId } = play.tournament;
  const users = await tx.$queryRaw<{ userId: string }[]>`
    SELECT DISTINCT u."userId" FROM jsonb_to_recordset(${JSON.stringify(lost)}::jsonb) AS c("participantId" text, "at" timestamptz)
    CROSS JOIN LATERAL ${playersAt(Prisma.sql`c."participantId"`, Prisma.sql`c."at"`)} u`;
  const userIds = users.map(({ userId }) => userId);
  const theirs = Prisma.sql`c."participantId" = ANY(${await participantsWith(tx, userIds)})`;
  await tx.$executeRaw`
    WITH played AS MATERIALIZED (${playedBy(Prisma.sql`t."projectId" = ${projectId} AND t."gameId" = ${gameId} AND ${theirs}`)})
    UPDATE "player_stats" s SET "lastPlayedAt" =
      (SELECT p."lastPlayedAt" FROM played p WHERE p."userId" = s."userId")
    WHERE s."projectId" = ${projectId} AND s."gameId" = ${gameId} AND s."userId" = ANY(${userIds})`;
}
