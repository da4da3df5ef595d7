import type { z } from 'zod';
import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { boundPage, pageArgs, toPage } from '@/server/paging';
import { gamesOf, hasManyGames, readListed } from '@/server/routers/matches/data-listed';
import type { listMatchesInput } from '@/server/routers/matches/schema';

/** One page of a tournament's matches in the order of their numbers. */
export async function listMatches(
  tx: Tx,
  tournamentId: string,
  input: Omit<z.output<typeof listMatchesInput>, 'tournamentId'>,
) {
  const parts = [Prisma.sql`m."tournamentId" = ${tournamentId}`];
  if (input.status) parts.push(Prisma.sql`m."status" = ${input.status}::"match_status"`);
  if (input.stageId) parts.push(Prisma.sql`m."stageId" = ${input.stageId}`);
  if (input.round) parts.push(Prisma.sql`m."round" = ${input.round}`);
  if (input.stationId) parts.push(Prisma.sql`m."stationId" = ${input.stationId}`);
  if (input.participantId) {
    parts.push(
      Prisma.sql`(m."participantAId" = ${input.participantId} OR m."participantBId" = ${input.participantId})`,
    );
  }
  const where = Prisma.join(parts, ' AND ');
  const [counted] = await tx.$queryRaw<{ total: number; games: number | null }[]>`
    SELECT (SELECT count(*)::int FROM "match" m WHERE ${where}) AS total,
      (SELECT max(${gamesOf}) FROM "match" m WHERE ${where} AND ${hasManyGames}) AS games`;
  const page = boundPage(input, { parts: counted?.games });
  const { skip, take } = pageArgs(page);
  const items = await readListed(
    tx,
    Prisma.sql`SELECT m.* FROM "match" m WHERE ${where} ORDER BY m."number" LIMIT ${take} OFFSET ${skip}`,
  );
  return toPage(items, counted?.total ?? 0, page);
}
