import type { z } from 'zod';
import { Prisma } from '@/generated/prisma/client';
import type { ParticipantGetPayload } from '@/generated/prisma/models';
import { readerOf } from '@/server/context';
import { db } from '@/server/db';
import { boundPage, type LargestItem, type PageInput, pageArgs, toPage } from '@/server/paging';
import { type Asker, report } from '@/server/report';
import {
  factsOf,
  type ParticipantRow,
  participantSelect,
  rosterSelect,
  tournamentContextSelect,
  withRosters,
} from '@/server/routers/participants/data';
import { ownParticipants } from '@/server/routers/participants/data-own';
import { readAdders, toRegistration } from '@/server/routers/participants/data-views';
import { waitlistPositions } from '@/server/routers/participants/data-waitlist';
import {
  type MyRegistration,
  myRegistrationSummariesOutput,
  myRegistrationsInput,
  myRegistrationsOutput,
} from '@/server/routers/participants/schema';
import { isVisibleTo } from '@/server/routers/tournaments/data';
import { userProcedure } from '@/server/trpc';

const select = {
  ...participantSelect,
  roster: false,
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

type Input = z.output<typeof myRegistrationsInput>;
type Found = { ids: string[]; total: number; page: PageInput };

/**
 * One page of ids of a user's registrations, as captain or on a roster: those that they agreed to first, of each the latest
 * first; and how many there are.
 * @param options.isWhole whether answers and rosters are read, by which a page may have to be smaller
 */
async function findIds(asker: Asker, userId: string, input: Input, { isWhole }: { isWhole: boolean }): Promise<Found> {
  const current = Prisma.sql`(p."registrationStatus" NOT IN ('cancelled', 'rejected')
    AND t."status" IN ('PUBLISHED', 'IN_PROGRESS'))`;
  const wanted = { current, past: Prisma.sql`NOT ${current}`, all: Prisma.sql`true` }[input.when ?? 'all'];
  // Who has left a private tournament, or was rejected, reads nothing more of it.
  const isReadable = Prisma.sql`(p."registrationStatus" NOT IN ('cancelled', 'rejected') OR ${isVisibleTo(userId)})`;
  const select = (columns: Prisma.Sql) => Prisma.sql`
    WITH own AS (${ownParticipants(userId)})
    SELECT ${columns} FROM own JOIN "participant" p USING ("id") JOIN "tournament" t ON t."id" = p."tournamentId"
    WHERE ${wanted} AND ${isReadable}`;
  const sizes = Prisma.sql`, max(octet_length(p."customFields"::text)) AS bytes,
    max((SELECT count(*) FROM "roster_member" m WHERE m."participantId" = p."id"))::int AS parts`;
  const [counted] = await report<{ total: number } & LargestItem>(
    asker,
    select(Prisma.sql`count(*)::int AS total ${isWhole ? sizes : Prisma.empty}`),
  );
  const page = boundPage(input, counted ?? {});
  const { skip, take } = pageArgs(page);
  const rows = await report<{ id: string }>(
    asker,
    Prisma.sql`${select(Prisma.sql`p."id"`)}
      ORDER BY own."accepted" DESC, p."registeredAt" DESC, p."id" DESC LIMIT ${take} OFFSET ${skip}`,
  );
  return { ids: rows.map(({ id }) => id), total: counted?.total ?? 0, page };
}

type Row = ParticipantGetPayload<{ select: typeof select }> & Pick<ParticipantRow, 'roster'>;

/** A registration with its tournament. */
function present(
  row: Row,
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

async function presentPage(userId: string, { ids, total, page }: Found, rows: Row[]) {
  const [positions, adders] = await Promise.all([waitlistPositions(db, rows), readAdders(db, rows, userId)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const now = new Date();
  const items = ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? [present(row, { userId, place: positions.get(id) ?? null, adders }, now)] : [];
  });
  return toPage(items, total, page);
}

/** All registrations of the signed-in player, in any state, but those that ended in what they may not see any more. */
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
    const found = await findIds(await readerOf(ctx), userId, input, { isWhole: true });
    const rows = await db.participant.findMany({ where: { id: { in: found.ids } }, select });
    return presentPage(userId, found, await withRosters(db, rows));
  });

/**
 * What the pages of the viewer's registrations show, without answers and rosters: anybody can name a player on a hundred rosters of
 * tournaments that ask for long answers.
 */
export const myRegistrationSummaries = userProcedure
  .input(myRegistrationsInput)
  .output(myRegistrationSummariesOutput)
  .query(async ({ ctx, input }) => {
    const userId = ctx.actingUser.id;
    const found = await findIds(await readerOf(ctx), userId, input, { isWhole: false });
    const own = { where: { userId }, select: rosterSelect };
    const rows = await db.participant.findMany({
      where: { id: { in: found.ids } },
      select: { ...select, customFields: false, roster: own },
    });
    const page = await presentPage(
      userId,
      found,
      rows.map((row) => ({ ...row, customFields: {} })),
    );
    const items = page.items.map(({ customFields: _c, roster: _r, notAccepted: _n, ...summary }) => summary);
    return { ...page, items };
  });
