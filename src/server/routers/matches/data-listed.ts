import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { ordinaryItem } from '@/server/paging';
import { type MatchRow, readMatchRow, type StageRow } from './data-bracket';
import { type MatchStation, toMatch } from './data-views';
import type { MatchOutput } from './schema';

type ListedRow = {
  match: MatchRow;
  stage: Pick<StageRow, 'id' | 'name'>;
  names: Record<string, string> | null;
  station: MatchStation | null;
};

/** How many games a match `m` has, reported ones included. The expression of the index match_large. */
export const gamesOf = Prisma.sql`(jsonb_array_length(m."games") + coalesce(jsonb_array_length(m."report" -> 'games'), 0)
  + coalesce(jsonb_array_length(m."counterReport" -> 'games'), 0))`;

/** Whether a match `m` has more than usual, as the index match_large says it. */
export const hasManyGames = Prisma.sql`${gamesOf} > ${Prisma.raw(String(ordinaryItem.parts))}`;

/**
 * Matches with what they show of their stage, participants and station, in one statement. `which` selects rows of
 * "match" as m.
 */
export async function readListed(tx: Tx, which: Prisma.Sql): Promise<MatchOutput[]> {
  const rows = await tx.$queryRaw<ListedRow[]>`
    SELECT to_json(m) AS match, json_build_object('id', s."id", 'name', s."name") AS stage,
      (SELECT json_object_agg(p."id", p."name") FROM "participant" p
        WHERE p."id" IN (m."participantAId", m."participantBId")) AS names,
      (SELECT json_build_object('name', x."name", 'streamUrl', x."streamUrl") FROM "station" x
        WHERE x."id" = m."stationId") AS station
    FROM (${which}) m JOIN "stage" s ON s."id" = m."stageId" ORDER BY m."tournamentId", m."number"`;
  return rows.map(({ match, stage, names, station }) => {
    return toMatch(readMatchRow(match), { stage, names: names ?? {}, station });
  });
}
