import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { readListed } from '@/server/routers/matches/data-listed';
import type { MatchOutput } from '@/server/routers/matches/schema';
import { presentTeam, teamSelect } from '@/server/routers/teams/data';
import type { DataPlayerStats, DataTeam } from './schema-play';

const noSuchMatch = () => refuse('NOT_FOUND', { message: 'This match does not exist in this project.' });

/**
 * A match of a project's tournaments.
 * @throws NOT_FOUND for matches of other projects
 */
export async function findMatch(tx: Tx, projectId: string, matchId: string): Promise<MatchOutput> {
  const [match] = await readListed(
    tx,
    Prisma.sql`SELECT m.* FROM "match" m JOIN "tournament" t ON t."id" = m."tournamentId"
      WHERE m."id" = ${matchId} AND t."projectId" = ${projectId} AND t."status" <> 'DRAFT'`,
  );
  if (!match) throw noSuchMatch();
  return match;
}

/** @throws NOT_FOUND as `findMatch` */
export async function requireMatch(tx: Tx, projectId: string, matchId: string): Promise<void> {
  const where = { id: matchId, draw: { tournament: { projectId, status: { not: 'DRAFT' as const } } } };
  if (!(await tx.match.findFirst({ where, select: { id: true } }))) throw noSuchMatch();
}

type FoundStats = {
  name: string;
  matches: number | null;
  wins: number | null;
  losses: number | null;
  kills: number | null;
  deaths: number | null;
  assists: number | null;
  placements: Record<string, number> | null;
  lastPlayedAt: Date | null;
};

const rounded = (value: number) => Math.round(value * 10_000) / 10_000;

/**
 * What a player did in one game over the project's tournaments; zeros when they have not played it.
 * @throws NOT_FOUND for players who are in none of the project's tournaments
 */
export async function findPlayerStats(
  tx: Tx,
  projectId: string,
  userId: string,
  gameId: string,
): Promise<DataPlayerStats> {
  const [row] = await tx.$queryRaw<FoundStats[]>`
    SELECT u."name", s."matches", s."wins", s."losses", s."kills", s."deaths", s."assists", s."placements", s."lastPlayedAt"
    FROM "user" u LEFT JOIN "player_stats" s
      ON s."projectId" = ${projectId} AND s."userId" = u."id" AND s."gameId" = ${gameId}
    WHERE u."id" = ${userId} AND (
      s."userId" IS NOT NULL
      OR EXISTS (SELECT FROM "participant" p JOIN "tournament" t ON t."id" = p."tournamentId"
        WHERE p."userId" = u."id" AND t."projectId" = ${projectId})
      OR EXISTS (SELECT FROM "roster_member" r JOIN "tournament" t ON t."id" = r."tournamentId"
        WHERE r."userId" = u."id" AND t."projectId" = ${projectId}))`;
  if (!row) throw refuse('NOT_FOUND', { message: "This player is in none of the project's tournaments." });
  const { name, lastPlayedAt } = row;
  const [matches, wins, losses] = [row.matches ?? 0, row.wins ?? 0, row.losses ?? 0];
  const [kills, deaths, assists] = [row.kills ?? 0, row.deaths ?? 0, row.assists ?? 0];
  const placements = Object.entries(row.placements ?? {}).map(([tournamentId, rank]) => ({ tournamentId, rank }));
  return {
    userId,
    name,
    gameId,
    matches,
    wins,
    losses,
    winRate: matches === 0 ? 0 : rounded(wins / matches),
    kills,
    deaths,
    assists,
    kdRatio: rounded(kills / Math.max(deaths, 1)),
    placements: placements.sort((a, b) => (a.tournamentId < b.tournamentId ? 1 : -1)),
    lastPlayedAt: lastPlayedAt?.toISOString() ?? null,
  };
}

/**
 * A team with its members.
 * @throws NOT_FOUND for teams without a participant in the project's tournaments
 */
export async function findTeam(tx: Tx, projectId: string, teamId: string): Promise<DataTeam> {
  const where = { id: teamId, participants: { some: { tournament: { projectId } } } };
  const row = await tx.team.findFirst({ where, select: teamSelect });
  if (!row) throw refuse('NOT_FOUND', { message: "This team is in none of the project's tournaments." });
  const { myRole: _, ...team } = presentTeam(row, undefined);
  return team;
}
