import type { z } from 'zod';
import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { boundPage, pageArgs, toPage } from '@/server/paging';
import { type Asker, report } from '@/server/report';
import { gamesOf, readListed } from '@/server/routers/matches/data-listed';
import type { MyMatch, myMatchesInput } from '@/server/routers/matches/schema';
import { ownParticipants } from '@/server/routers/participants/data-own';

type OwnRow = { id: string; participantId: string; tournament: MyMatch['tournament'] };

/** Of a tournament `t`, what is shown with a match. */
const tournamentOf = Prisma.sql`json_build_object('id', t."id", 'slug', t."slug", 'name', t."name", 'status', t."status",
  'resultMode', t."resultMode", 'noShowGraceMinutes', t."noShowGraceMinutes", 'autoConfirmMinutes', t."autoConfirmMinutes",
  'timezone', t."timezone")`;

/** The matches of the rows, in their order. */
async function readOwn(tx: Tx, rows: OwnRow[]) {
  const ids = rows.map(({ id }) => id);
  const matches = ids.length
    ? await readListed(tx, Prisma.sql`SELECT m.* FROM "match" m WHERE m."id" = ANY(${ids})`)
    : [];
  const byId = new Map(matches.map((match) => [match.id, match]));
  return rows.flatMap(({ id, participantId, tournament }) => {
    const match = byId.get(id);
    // A correction may have removed it since.
    return match ? [{ ...match, tournament, me: { participantId } }] : [];
  });
}

/** One page of a user's matches, as captain or on a roster: those to be played first, and of them those they agreed to. */
export async function listOwnMatches(tx: Tx, asker: Asker, userId: string, input: z.output<typeof myMatchesInput>) {
  const open = Prisma.sql`(t."status" = 'IN_PROGRESS' AND m."status" NOT IN ('completed', 'forfeited'))`;
  const wanted = { current: open, past: Prisma.sql`NOT ${open}`, all: Prisma.sql`true` }[input.when ?? 'all'];
  // Where accounts have hundreds of participants, PostgreSQL would read every match of everybody; `OFFSET 0` has it look up each.
  const matchesOn = (side: Prisma.Sql) => Prisma.sql`
    SELECT m.*, own."id" AS "participantId", own."accepted"
    FROM own CROSS JOIN LATERAL (SELECT * FROM "match" WHERE ${side} = own."id" OFFSET 0) m`;
  const played = Prisma.sql`
    WITH own AS (${ownParticipants(userId)}), played AS (
      ${matchesOn(Prisma.sql`"participantAId"`)} UNION ALL ${matchesOn(Prisma.sql`"participantBId"`)}
    )`;
  const from = Prisma.sql`FROM played m JOIN "tournament" t ON t."id" = m."tournamentId" WHERE ${wanted}`;
  const [counted] = await report<{ total: number; games: number | null }>(
    asker,
    Prisma.sql`${played} SELECT count(*)::int AS total, max(${gamesOf}) AS games ${from}`,
  );
  const page = boundPage(input, { parts: counted?.games });
  const { skip, take } = pageArgs(page);
  const rows = await report<OwnRow>(
    asker,
    Prisma.sql`
    ${played}, wanted AS (
      SELECT m."id", m."participantId", m."accepted", m."tournamentId", m."number", m."scheduledAt", m."completedAt", ${open} AS open
      ${from}
    ), page AS (
      SELECT row_number() OVER (
        ORDER BY open DESC, "accepted" DESC, CASE WHEN open THEN "scheduledAt" END NULLS LAST, "completedAt" DESC NULLS LAST,
          "tournamentId" DESC, "number"
      ) AS place, * FROM wanted ORDER BY place LIMIT ${take} OFFSET ${skip}
    )
    SELECT page."id", page."participantId", ${tournamentOf} AS tournament
    FROM page JOIN "tournament" t ON t."id" = page."tournamentId" ORDER BY page.place`,
  );
  return toPage(await readOwn(tx, rows), counted?.total ?? 0, page);
}

/** Anybody can name a player in a hundred running tournaments: so many are looked at, and so many matches are shown. */
const nextMatches = { looked: 100, shown: 10 };

/**
 * A user's next match in each running tournament that they play in: the first that is under way, else the first that can be
 * played, else the first that is not over. Those that they agreed to come first.
 * @param participantId null: whoever they play as
 */
export async function listNextMatches(tx: Tx, asker: Asker, userId: string, participantId: string | null) {
  const rows = await report<OwnRow>(
    asker,
    Prisma.sql`
    WITH own AS (${ownParticipants(userId)}), playing AS (
      SELECT p."id", p."registeredAt", own."accepted", ${tournamentOf} AS tournament
      FROM own JOIN "participant" p USING ("id") JOIN "tournament" t ON t."id" = p."tournamentId"
      WHERE p."registrationStatus" = 'approved' AND p."status" = 'active' AND t."status" = 'IN_PROGRESS'
        AND (${participantId}::text IS NULL OR p."id" = ${participantId})
      ORDER BY own."accepted" DESC, p."registeredAt" DESC, p."id" DESC LIMIT ${nextMatches.looked}
    )
    SELECT next."id", playing."id" AS "participantId", playing.tournament
    FROM playing CROSS JOIN LATERAL (
      SELECT m."id" FROM "match" m
      WHERE (m."participantAId" = playing."id" OR m."participantBId" = playing."id") AND m."status" NOT IN ('completed', 'forfeited')
      ORDER BY m."status" IN ('in_progress', 'disputed') DESC, m."status" <> 'pending' DESC, m."number" LIMIT 1
    ) next
    ORDER BY playing."accepted" DESC, playing."registeredAt" DESC, playing."id" DESC LIMIT ${nextMatches.shown}`,
  );
  return readOwn(tx, rows);
}
