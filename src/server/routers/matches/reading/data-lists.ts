import type { z } from 'zod';
import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { pageArgs, toPage } from '@/server/paging';
import { type MatchRow, readMatchRow, type StageRow } from '@/server/routers/matches/data-bracket';
import { toMatch } from '@/server/routers/matches/data-views';
import type { listMatchesInput } from '@/server/routers/matches/schema';

type ListedRow = {
  match: MatchRow;
  stage: Pick<StageRow, 'id' | 'name'>;
  names: Record<string, string> | null;
  total: number;
};

/** One page of a tournament's matches in the order of their numbers. */
export async function listMatches(
  tx: Tx,
  tournamentId: string,
  input: Omit<z.output<typeof listMatchesInput>, 'tournamentId'>,
) {
  const { skip, take } = pageArgs(input);
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
  const [rows, [counted]] = await Promise.all([
    tx.$queryRaw<ListedRow[]>`
      SELECT to_json(m) AS match, json_build_object('id', s."id", 'name', s."name") AS stage,
        (SELECT json_object_agg(p."id", p."name") FROM "participant" p
          WHERE p."id" IN (m."participantAId", m."participantBId")) AS names
      FROM (SELECT * FROM "match" m WHERE ${where} ORDER BY m."number" LIMIT ${take} OFFSET ${skip}) m
      JOIN "stage" s ON s."id" = m."stageId" ORDER BY m."number"`,
    tx.$queryRaw<{ total: number }[]>`SELECT count(*)::int AS total FROM "match" m WHERE ${where}`,
  ]);
  const items = rows.map((row) => toMatch(readMatchRow(row.match), row.stage, row.names ?? {}));
  return toPage(items, counted?.total ?? 0, input);
}
