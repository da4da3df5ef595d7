import { Prisma } from '@/generated/prisma/client';
import type { ParticipantGetPayload } from '@/generated/prisma/models';
import { db } from '@/server/db';
import { pageArgs, toPage } from '@/server/paging';
import { factsOf, participantSelect, tournamentContextSelect } from '@/server/routers/participants/data';
import { readAdders, toRegistration } from '@/server/routers/participants/data-views';
import { waitlistPositions } from '@/server/routers/participants/data-waitlist';
import { type MyRegistration, myRegistrationsInput, myRegistrationsOutput } from '@/server/routers/participants/schema';
import { userProcedure } from '@/server/trpc';

const select = {
  ...participantSelect,
  tournament: {
    select: {
      ...tournamentContextSelect,
      timezone: true,
      resultMode: true,
      gameId: true,
      game: { select: { name: true } },
    },
  },
} as const satisfies Prisma.ParticipantSelect;

/** One page of ids of a user's registrations, as captain or on a roster, latest first; and how many there are. */
async function findIds(
  userId: string,
  when: 'current' | 'past' | undefined,
  page: { skip: number; take: number },
): Promise<{ ids: string[]; total: number }> {
  const current = Prisma.sql`(p."registrationStatus" NOT IN ('cancelled', 'rejected')
    AND t."status" IN ('PUBLISHED', 'IN_PROGRESS'))`;
  const wanted = { current, past: Prisma.sql`NOT ${current}`, all: Prisma.sql`true` }[when ?? 'all'];
  const rows = await db.$queryRaw<{ id: string | null; total: bigint }[]>`
    WITH own AS (
      SELECT "id" FROM "participant" WHERE "userId" = ${userId}
      UNION SELECT "participantId" FROM "roster_member" WHERE "userId" = ${userId}
    ), wanted AS (
      SELECT p."id", p."registeredAt" FROM own JOIN "participant" p USING ("id")
      JOIN "tournament" t ON t."id" = p."tournamentId" WHERE ${wanted}
    )
    SELECT page."id", counted.total FROM (SELECT count(*) AS total FROM wanted) counted
    LEFT JOIN LATERAL (
      SELECT "id", "registeredAt" FROM wanted ORDER BY "registeredAt" DESC, "id" DESC LIMIT ${page.take} OFFSET ${page.skip}
    ) page ON true ORDER BY page."registeredAt" DESC, page."id" DESC`;
  return { ids: rows.flatMap(({ id }) => id ?? []), total: Number(rows[0]?.total ?? 0) };
}

/** A registration with its tournament. */
function present(
  row: ParticipantGetPayload<{ select: typeof select }>,
  viewer: { userId: string; place: number | null; adders: ReadonlyMap<string, string> },
  now: Date,
): MyRegistration {
  const { tournament } = row;
  const facts = factsOf(tournament, now);
  const { id, slug, name, status, timezone, customFieldsVersion, maxParticipants, currentParticipants } = tournament;
  return {
    ...toRegistration(row, { ...viewer, facts }, now),
    tournament: {
      id,
      slug,
      name,
      game: tournament.gameId,
      gameName: tournament.game.name,
      status,
      startDate: tournament.startDate.toISOString(),
      timezone,
      checkInOpensAt: tournament.checkInOpensAt?.toISOString() ?? null,
      checkInClosesAt: tournament.checkInClosesAt?.toISOString() ?? null,
      checkInOpen: facts.checkInOpen,
      resultMode: tournament.resultMode,
      customFieldsVersion,
      maxParticipants,
      currentParticipants,
    },
  };
}

/** All registrations of the signed-in player, in any state. */
export const myRegistrations = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/me/registrations',
      tags: ['Me'],
      summary: 'List your registrations',
      description: 'Latest first, including those of teams that have you on their roster.',
    },
  })
  .input(myRegistrationsInput)
  .output(myRegistrationsOutput)
  .query(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    const { ids, total } = await findIds(userId, input.when, pageArgs(input));
    const rows = await ctx.db.participant.findMany({ where: { id: { in: ids } }, select });
    const [positions, adders] = await Promise.all([waitlistPositions(ctx.db, rows), readAdders(ctx.db, rows, userId)]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const now = new Date();
    const items = ids.flatMap((id) => {
      const row = byId.get(id);
      return row ? [present(row, { userId, place: positions.get(id) ?? null, adders }, now)] : [];
    });
    return toPage(items, total, input);
  });
