import { antiCheatGames } from '@/domain/anticheat/games';
import { rulesOf } from '@/domain/anticheat/rules';
import { Prisma } from '@/generated/prisma/client';
import { pageArgs, totalOf } from '@/server/paging';
import { type Asker, report } from '@/server/report';
import { evidenceCount, raisedBeforeTakeover } from '@/server/routers/anticheat/data-detections';
import type { QueueInput, QueueItem } from './schema';

type Row = Omit<QueueItem, 'player' | 'match' | 'reviewedBy' | 'reviewedAt' | 'raisedAt'> & {
  raisedAt: Date;
  userId: string;
  playerName: string | null;
  beforeTakeover: boolean;
  number: number | null;
  tournamentId: string | null;
  tournamentSlug: string | null;
  tournamentName: string | null;
  reviewedById: string | null;
  reviewerName: string | null;
  reviewedAt: Date | null;
};

/** The ids of the rules that a filter by game, by rule, or by both leaves; null: no such filter. */
function ruleIdsOf({ game, rule }: Pick<QueueInput, 'game' | 'rule'>): string[] | null {
  if (!game && !rule) return null;
  const games = game ? [game] : antiCheatGames;
  return games.flatMap((each) => rulesOf(each).flatMap((key) => (rule && key !== rule ? [] : [`${each}.${key}`])));
}

/** Only of the same project: a client may name a match of any, and whether it is one of a tournament there is not for others. */
function inTournament(tournamentId: string): Prisma.Sql {
  return Prisma.sql`d."matchId" IN (
    SELECT m."id" FROM "match" m JOIN "tournament" t ON t."id" = m."tournamentId"
    WHERE t."id" = ${tournamentId} AND t."projectId" = d."projectId")`;
}

function conditions(input: QueueInput): Prisma.Sql {
  const { projectId, status, severity, tournamentId, matchId, userId } = input;
  const ruleIds = ruleIdsOf(input);
  const given = [
    Prisma.sql`d."projectId" = ${projectId}`,
    status === 'unreviewed' ? Prisma.sql`d."verdict" IS NULL` : null,
    status && status !== 'unreviewed' ? Prisma.sql`d."verdict" = ${status}::"detection_verdict"` : null,
    severity ? Prisma.sql`d."severity" = ${severity}::"detection_severity"` : null,
    ruleIds ? Prisma.sql`d."ruleId" = ANY(${ruleIds})` : null,
    tournamentId ? inTournament(tournamentId) : null,
    matchId ? Prisma.sql`d."matchId" = ${matchId}` : null,
    userId ? Prisma.sql`d."userId" = ${userId}` : null,
  ];
  return Prisma.join(
    given.flatMap((one) => one ?? []),
    ' AND ',
  );
}

/** The columns of an item; the match only if it is one of the project's. */
export const itemColumns = Prisma.sql`
  d."id", d."sessionId", d."matchId", d."userId", d."ruleId", d."rule", d."severity", d."explanation", d."raisedAt",
  d."verdict", d."note", d."reviewedById", d."reviewedAt", d."version", player."name" AS "playerName",
  ${raisedBeforeTakeover} AS "beforeTakeover",
  reviewer."name" AS "reviewerName", m."number", t."id" AS "tournamentId", t."slug" AS "tournamentSlug",
  t."name" AS "tournamentName", ${evidenceCount} AS "evidenceCount"`;

export const itemJoins = Prisma.sql`
  LEFT JOIN "user" player ON player."id" = d."userId"
  LEFT JOIN "user" reviewer ON reviewer."id" = d."reviewedById"
  LEFT JOIN ("match" m JOIN "tournament" t ON t."id" = m."tournamentId") ON m."id" = d."matchId" AND t."projectId" = d."projectId"`;

export type ItemRow = Row;

export function toItem(row: Row): QueueItem {
  const { userId, playerName, beforeTakeover, reviewedById, reviewerName, raisedAt, reviewedAt, ...rest } = row;
  const { number, tournamentId, tournamentSlug, tournamentName, ...own } = rest;
  const isOurs = number !== null && tournamentId !== null && tournamentSlug !== null && tournamentName !== null;
  return {
    ...own,
    raisedAt: raisedAt.toISOString(),
    player: { userId, name: beforeTakeover ? null : playerName, beforeTakeover },
    match: isOurs ? { number, tournamentId, tournamentSlug, tournamentName } : null,
    reviewedBy: reviewedById === null ? null : { userId: reviewedById, name: reviewerName },
    reviewedAt: reviewedAt?.toISOString() ?? null,
  };
}

/** One page of a project's detections but the reader's own, the newest first, and how many there are. */
export async function readQueue(
  asker: Asker,
  readerId: string,
  input: QueueInput,
): Promise<{ items: QueueItem[]; total: number }> {
  const where = conditions(input);
  const page = pageArgs(input);
  const rows = await report<Row>(
    asker,
    Prisma.sql`
      SELECT ${itemColumns} FROM (
        SELECT d.* FROM "detection" d WHERE ${where} AND d."userId" <> ${readerId} ORDER BY d."id" DESC LIMIT ${page.take} OFFSET ${page.skip}
      ) d ${itemJoins} ORDER BY d."id" DESC`,
  );
  const total = await totalOf(page, rows.length, async () => {
    const [row] = await report<{ total: number }>(
      asker,
      // All but the few of the reader: to look at the player of each would read every row.
      Prisma.sql`
        SELECT (SELECT count(*) FROM "detection" d WHERE ${where})::int
          - (SELECT count(*) FROM "detection" d WHERE ${where} AND d."userId" = ${readerId})::int AS "total"`,
    );
    return row?.total ?? 0;
  });
  return { items: rows.map(toItem), total };
}
