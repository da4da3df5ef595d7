import { Prisma } from '@/generated/prisma/client';
import type { ParticipantGetPayload } from '@/generated/prisma/models';
import { pageArgs, toPage } from '@/server/paging';
import { report } from '@/server/report';
import { factsOf, participantSelect, tournamentContextSelect } from '@/server/routers/participants/data';
import { ownParticipants } from '@/server/routers/participants/data-own';
import { readAdders, toRegistration } from '@/server/routers/participants/data-views';
import { waitlistPositions } from '@/server/routers/participants/data-waitlist';
import { type MyRegistration, myRegistrationsInput, myRegistrationsOutput } from '@/server/routers/participants/schema';
import { userProcedure } from '@/server/trpc';

const select = {
  ...participantSelect,
  tournament: {
    select: {
      ...tournamentContextSelect,
      // Of a hundred tournaments, the questions may have 64 KiB each.
      customFields: false,
      timezone: true,
      resultMode: true,
      gameId: true,
      game: { select: { name: true } },
    },
  },
} as const satisfies Prisma.ParticipantSelect;

/**
 * One page of ids of a user's registrations, as captain or on a roster: those that they agreed to first, of each the latest
 * first; and how many there are.
 */
async function findIds(
  userId: string,
  when: 'current' | 'past' | undefined,
  page: { skip: number; take: number },
): Promise<{ ids: string[]; total: number }> {
  const current = Prisma.sql`(p."registrationStatus" NOT IN ('cancelled', 'rejected')
    AND t."status" IN ('PUBLISHED', 'IN_PROGRESS'))`;
  const wanted = { current, past: Prisma.sql`NOT ${current}`, all: Prisma.sql`true` }[when ?? 'all'];
  const rows = await report<{ id: string | null; total: number }>(
    userId,
    Prisma.sql`
    WITH own AS (${ownParticipants(userId)}), wanted AS (
      SELECT p."id", p."registeredAt", own."accepted" FROM own JOIN "participant" p USING ("id")
      JOIN "tournament" t ON t."id" = p."tournamentId" WHERE ${wanted}
    )
    SELECT page."id", counted.total FROM (SELECT count(*)::int AS total FROM wanted) counted
    LEFT JOIN LATERAL (
      SELECT * FROM wanted ORDER BY "accepted" DESC, "registeredAt" DESC, "id" DESC LIMIT ${page.take} OFFSET ${page.skip}
    ) page ON true ORDER BY page."accepted" DESC, page."registeredAt" DESC, page."id" DESC`,
  );
  return { ids: rows.flatMap(({ id }) => id ?? []), total: rows[0]?.total ?? 0 };
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
      description:
        'Including those of teams that have you on their roster. What you have agreed to comes first, then where others have named you; of each the latest first.',
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
