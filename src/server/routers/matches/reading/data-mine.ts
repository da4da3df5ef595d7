import type { z } from 'zod';
import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { boundPage, pageArgs, toPage } from '@/server/paging';
import { report } from '@/server/report';
import { gamesOf, readListed } from '@/server/routers/matches/data-listed';
import type { MyMatch, myMatchesInput } from '@/server/routers/matches/schema';
import { ownParticipants } from '@/server/routers/participants/data-own';

type OwnRow = { id: string; participantId: string; tournament: MyMatch['tournament'] };

/** One page of a user's matches, as captain or on a roster: those to be played first, and of them those they agreed to. */
export async function listOwnMatches(tx: Tx, userId: string, input: z.output<typeof myMatchesInput>) {
  const open = Prisma.sql`(t."status" = 'IN_PROGRESS' AND m."status" NOT IN ('completed', 'forfeited'))`;
  const wanted = { current: open, past: Prisma.sql`NOT ${open}`, all: Prisma.sql`true` }[input.when ?? 'all'];
  const played = Prisma.sql`
    WITH own AS (${ownParticipants(userId)}), played AS (
      SELECT m."id", own."id" AS "participantId", own."accepted" FROM own JOIN "match" m ON m."participantAId" = own."id"
      UNION ALL SELECT m."id", own."id", own."accepted" FROM own JOIN "match" m ON m."participantBId" = own."id"
    )`;
  const from = Prisma.sql`
    FROM played JOIN "match" m USING ("id") JOIN "tournament" t ON t."id" = m."tournamentId" WHERE ${wanted}`;
  const [counted] = await report<{ total: number; games: number | null }>(
    userId,
    Prisma.sql`${played} SELECT count(*)::int AS total, max(${gamesOf}) AS games ${from}`,
  );
  const page = boundPage(input, { parts: counted?.games });
  const { skip, take } = pageArgs(page);
  const rows = await report<OwnRow>(
    userId,
    Prisma.sql`
    ${played}, wanted AS (
      SELECT m."id", played."participantId", played."accepted", m."tournamentId", m."number", m."scheduledAt", m."completedAt", ${open} AS open
      ${from}
    ), page AS (
      SELECT row_number() OVER (
        ORDER BY open DESC, "accepted" DESC, CASE WHEN open THEN "scheduledAt" END NULLS LAST, "completedAt" DESC NULLS LAST,
          "tournamentId" DESC, "number"
      ) AS place, * FROM wanted ORDER BY place LIMIT ${take} OFFSET ${skip}
    )
    SELECT page."id", page."participantId", json_build_object('id', t."id", 'slug', t."slug", 'name', t."name",
      'status', t."status", 'resultMode', t."resultMode", 'noShowGraceMinutes', t."noShowGraceMinutes",
      'autoConfirmMinutes', t."autoConfirmMinutes", 'timezone', t."timezone") AS tournament
    FROM page JOIN "tournament" t ON t."id" = page."tournamentId" ORDER BY page.place`,
  );
  const ids = rows.map(({ id }) => id);
  const matches = ids.length
    ? await readListed(tx, Prisma.sql`SELECT m.* FROM "match" m WHERE m."id" = ANY(${ids})`)
    : [];
  const byId = new Map(matches.map((match) => [match.id, match]));
  const items = rows.flatMap(({ id, participantId, tournament }) => {
    const match = byId.get(id);
    // A correction may have removed it since.
    return match ? [{ ...match, tournament, me: { participantId } }] : [];
  });
  return toPage(items, counted?.total ?? 0, page);
}
