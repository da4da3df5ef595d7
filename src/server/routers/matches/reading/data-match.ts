import { roundName } from '@/domain/brackets/names';
import type { ProjectRole } from '@/generated/prisma/enums';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { type MatchRow, readMatchRow, type StageRow } from '@/server/routers/matches/data-bracket';
import { type MatchStation, toMatch } from '@/server/routers/matches/data-views';
import type { MatchDetail } from '@/server/routers/matches/schema';
import { playsFor } from '@/server/routers/participants/data-own';
import { isVisibleTo } from '@/server/routers/tournaments/data';

type Row = {
  match: MatchRow;
  stage: Pick<StageRow, 'id' | 'name' | 'type'>;
  names: Record<string, string> | null;
  station: MatchStation | null;
  tournament: MatchDetail['tournament'];
  rounds: number;
  role: ProjectRole | null;
  mine: string | null;
  visible: boolean;
};

/**
 * One match with its tournament and the caller's part in it, in one statement.
 * @throws NOT_FOUND when the caller may not see it
 */
export async function findMatchForView(tx: Tx, matchId: string, userId: string | null) {
  const [row] = await tx.$queryRaw<Row[]>`
    SELECT to_json(m) AS match, json_build_object('id', s."id", 'name', s."name", 'type', s."type") AS stage,
      json_build_object('id', t."id", 'slug', t."slug", 'name', t."name", 'status', t."status", 'resultMode', t."resultMode",
        'noShowGraceMinutes', t."noShowGraceMinutes", 'autoConfirmMinutes', t."autoConfirmMinutes",
        'timezone', t."timezone") AS tournament,
      (SELECT json_build_object('name', x."name", 'streamUrl', x."streamUrl") FROM "station" x
        WHERE x."id" = m."stationId") AS station,
      (SELECT json_object_agg(p."id", p."name") FROM "participant" p
        WHERE p."id" IN (m."participantAId", m."participantBId")) AS names,
      (SELECT max(o."round") FROM "match" o WHERE o."stageId" = m."stageId" AND o."bracket" = m."bracket"
        AND o."groupNumber" IS NOT DISTINCT FROM m."groupNumber") AS rounds,
      (SELECT r."role" FROM "member" r WHERE r."projectId" = t."projectId" AND r."userId" = ${userId}) AS role,
      (SELECT p."id" FROM "participant" p WHERE p."id" IN (m."participantAId", m."participantBId")
        AND ${playsFor(userId)} LIMIT 1) AS mine,
      ${isVisibleTo(userId)} AS visible
    FROM "match" m JOIN "stage" s ON s."id" = m."stageId" JOIN "tournament" t ON t."id" = m."tournamentId"
    WHERE m."id" = ${matchId}`;
  if (!row?.visible) {
    throw refuse('NOT_FOUND', { message: 'There is no such match.' });
  }
  const match = readMatchRow(row.match);
  const { bracket, round } = match;
  return {
    ...toMatch(match, { stage: row.stage, names: row.names ?? {}, station: row.station }),
    tournament: row.tournament,
    roundName: roundName(row.stage.type, { bracket, round, rounds: row.rounds }),
    me: { participantId: row.mine },
    role: row.role,
  };
}
