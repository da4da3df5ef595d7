import type { BracketSide, MatchStatus, Slot, StageType } from '@/domain/brackets/types';
import type { TournamentStatus } from '@/generated/prisma/enums';
import type { Tx } from '@/server/db';
import { noSuchTournament } from '@/server/routers/tournaments/data';

/** A match with a set time, as a calendar shows it. */
export type ScheduledMatch = {
  id: string;
  number: number;
  stageType: StageType;
  stageName: string;
  groupNumber: number | null;
  bracket: BracketSide;
  round: number;
  /** Rounds of its bracket in the stage, or in the group. */
  rounds: number;
  bestOf: number;
  status: MatchStatus;
  scheduledAt: Date;
  slots: [Slot['source'], Slot['source']];
  names: [string | null, string | null];
  station: string | null;
  version: number;
  updatedAt: Date;
};

export type CalendarTournament = {
  id: string;
  slug: string;
  name: string;
  status: TournamentStatus;
  startDate: Date;
  completedAt: Date | null;
  checkInOpensAt: Date | null;
  checkInClosesAt: Date | null;
  version: number;
  updatedAt: Date;
};

/** The tournament, and its scheduled matches in the order of time; with a participant only theirs. */
export async function readCalendar(tx: Tx, tournamentId: string, participantId: string | null) {
  const [tournament, matches] = await Promise.all([
    tx.tournament.findUnique({
      where: { id: tournamentId },
      select: {
        id: true,
        slug: true,
        name: true,
        status: true,
        startDate: true,
        completedAt: true,
        checkInOpensAt: true,
        checkInClosesAt: true,
        version: true,
        updatedAt: true,
      },
    }),
    // Rounds are counted once for each bracket: counted for each match, a large tournament would take seconds.
    tx.$queryRaw<ScheduledMatch[]>`
      WITH counted AS (
        SELECT "stageId", "bracket", coalesce("groupNumber", 0) AS "group", max("round") AS rounds FROM "match"
        WHERE "tournamentId" = ${tournamentId} GROUP BY 1, 2, 3
      )
      SELECT m."id", m."number", s."type" AS "stageType", s."name" AS "stageName", m."groupNumber", m."bracket", m."round",
        counted.rounds, m."bestOf", m."status", m."scheduledAt", json_build_array(m."slotA"->'source', m."slotB"->'source') AS slots,
        json_build_array(a."name", b."name") AS names, p."name" AS station, m."version", m."updatedAt"
      FROM "match" m JOIN "stage" s ON s."id" = m."stageId"
      JOIN counted ON counted."stageId" = m."stageId" AND counted."bracket" = m."bracket"
        AND counted."group" = coalesce(m."groupNumber", 0)
      LEFT JOIN "participant" a ON a."id" = m."participantAId" LEFT JOIN "participant" b ON b."id" = m."participantBId"
      LEFT JOIN "station" p ON p."id" = m."stationId"
      WHERE m."tournamentId" = ${tournamentId} AND m."scheduledAt" IS NOT NULL AND m."decidedBy" IS DISTINCT FROM 'bye'
        AND (${participantId}::text IS NULL OR ${participantId} IN (m."participantAId", m."participantBId"))
      ORDER BY m."scheduledAt", m."number"`,
  ]);
  if (!tournament) throw noSuchTournament();
  return { tournament: tournament satisfies CalendarTournament, matches };
}

/** The name of a participant whom everyone may see; null when there is none. */
export async function findPublicParticipant(tx: Tx, tournamentId: string, id: string): Promise<string | null> {
  const found = await tx.participant.findFirst({
    where: { id, tournamentId, registrationStatus: 'approved' },
    select: { name: true },
  });
  return found?.name ?? null;
}
