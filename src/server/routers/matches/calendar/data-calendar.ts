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
  projectId: string;
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

/** Whose calendar it is; null: everyone's. */
export type CalendarParticipant = { id: string; name: string } | null;

/** What a calendar is made from: the tournament, and its scheduled matches in the order of time; of a participant only theirs. */
export type CalendarContents = {
  tournament: CalendarTournament;
  matches: ScheduledMatch[];
  /** Their name. */
  participant: string | null;
};

/** Times as JSON has them, instead of dates. */
type Written<Row> = { [Key in keyof Row]: Row[Key] extends Date | null ? string | Extract<Row[Key], null> : Row[Key] };

const toDate = (text: string | null) => (text === null ? null : new Date(text));

function toContents(text: string): CalendarContents {
  const { tournament, matches, participant } = JSON.parse(text) as {
    tournament: Written<CalendarTournament> | null;
    matches: Written<ScheduledMatch>[];
    participant: string | null;
  };
  if (!tournament) throw noSuchTournament();
  return {
    participant,
    tournament: {
      ...tournament,
      startDate: new Date(tournament.startDate),
      completedAt: toDate(tournament.completedAt),
      checkInOpensAt: toDate(tournament.checkInOpensAt),
      checkInClosesAt: toDate(tournament.checkInClosesAt),
      updatedAt: new Date(tournament.updatedAt),
    },
    matches: matches.map((match) => ({
      ...match,
      scheduledAt: new Date(match.scheduledAt),
      updatedAt: new Date(match.updatedAt),
    })),
  };
}

/**
 * What a calendar is made from, and its digest, which the same statement takes of the very same rows.
 * @param known what was made before, with its digest: it is returned, and no contents are sent, as long as that is still the digest
 * @throws NOT_FOUND
 */
export async function readCalendar<Known extends { digest: string } = never>(
  tx: Tx,
  tournamentId: string,
  participant: CalendarParticipant,
  known?: Known,
): Promise<Known | { digest: string; contents: CalendarContents }> {
  const id = participant?.id ?? null;
  // Rounds are counted once for each bracket: counted for each match, a large tournament would take seconds.
  const [row] = await tx.$queryRaw<{ digest: string; contents: string | null }[]>`
    WITH counted AS MATERIALIZED (
      SELECT "stageId", "bracket", coalesce("groupNumber", 0) AS "group", max("round") AS rounds FROM "match"
      WHERE "tournamentId" = ${tournamentId} GROUP BY 1, 2, 3
    ), listed AS (
      SELECT m."id", m."number", s."type" AS "stageType", s."name" AS "stageName", m."groupNumber", m."bracket", m."round",
        counted.rounds, m."bestOf", m."status", m."scheduledAt", json_build_array(m."slotA"->'source', m."slotB"->'source') AS slots,
        json_build_array(a."name", b."name") AS names, p."name" AS station, m."version", m."updatedAt"
      FROM "match" m JOIN "stage" s ON s."id" = m."stageId"
      JOIN counted ON counted."stageId" = m."stageId" AND counted."bracket" = m."bracket"
        AND counted."group" = coalesce(m."groupNumber", 0)
      LEFT JOIN "participant" a ON a."id" = m."participantAId" LEFT JOIN "participant" b ON b."id" = m."participantBId"
      LEFT JOIN "station" p ON p."id" = m."stationId"
      WHERE m."tournamentId" = ${tournamentId} AND m."scheduledAt" IS NOT NULL AND m."decidedBy" IS DISTINCT FROM 'bye'
        AND (${id}::text IS NULL OR ${id} IN (m."participantAId", m."participantBId"))
    ), tournament AS (
      SELECT "id", "projectId", "slug", "name", "status", "startDate", "completedAt", "checkInOpensAt", "checkInClosesAt", "version",
        "updatedAt"
      FROM "tournament" WHERE "id" = ${tournamentId}
    ), contents AS MATERIALIZED (
      SELECT json_build_object(
        'participant', ${participant?.name ?? null}::text,
        'tournament', (SELECT to_json(t) FROM tournament t),
        'matches', (SELECT coalesce(json_agg(l ORDER BY l."scheduledAt", l."number"), '[]') FROM listed l)
      )::text AS text
    ), digested AS MATERIALIZED (SELECT text, encode(sha256(convert_to(text, 'UTF8')), 'hex') AS digest FROM contents)
    SELECT digest, CASE WHEN digest IS DISTINCT FROM ${known?.digest ?? null}::text THEN text END AS contents FROM digested`;
  if (known && row?.contents === null) return known;
  if (!row?.contents) throw noSuchTournament();
  return { digest: row.digest, contents: toContents(row.contents) };
}

/** The name of a participant whom everyone may see; null when there is none. */
export async function findPublicParticipant(tx: Tx, tournamentId: string, id: string): Promise<string | null> {
  const found = await tx.participant.findFirst({
    where: { id, tournamentId, registrationStatus: 'approved' },
    select: { name: true },
  });
  return found?.name ?? null;
}
