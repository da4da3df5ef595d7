import { checkInEnd, owesCheckIn } from '@/domain/participants/check-in';
import type { ParticipantState } from '@/domain/participants/statuses';
import { moment } from '@/domain/tournaments/settings';
import { Prisma } from '@/generated/prisma/client';
import { readerOf } from '@/server/context';
import { anyOf, rowsOf } from '@/server/db';
import { refuse } from '@/server/errors';
import { report } from '@/server/report';
import { factsOf, isNamed, readTournamentContext } from '@/server/routers/participants/data';
import { waitlistPositions } from '@/server/routers/participants/data-waitlist';
import { possibleActions, type RestorableState } from '@/server/routers/participants/rules';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { type DeskRow, deskInput, deskPage } from './schema';

/** `2026-12-05T18:00:00.000Z/prt_…`: where a page ended. */
function parseCursor(cursor: string): { registeredAt: Date; id: string } {
  const [time, id] = cursor.split('/');
  const at = moment.safeParse(time);
  if (!id || !at.success) throw refuse('INVALID_CURSOR');
  return { registeredAt: new Date(at.data), id };
}

type Row = ParticipantState &
  Pick<DeskRow, 'id' | 'type' | 'userId' | 'name' | 'email' | 'seed' | 'statusReason' | 'version' | 'players'> & {
    registeredAt: Date;
    approvedAt: Date | null;
    checkedInAt: Date | null;
    cancelledAt: Date | null;
    standingBefore: RestorableState | null;
    waitlistOrder: bigint | null;
    /** How many the page has without the bound on players, and one more if another page follows. */
    onPage: number;
  };

/** When the participant got their current status, as far as the row tells. */
function since({ registrationStatus, status, registeredAt, ...row }: Omit<Row, 'onPage'>): Date {
  if (registrationStatus === 'cancelled') return row.cancelledAt ?? registeredAt;
  if (registrationStatus !== 'approved') return registeredAt;
  return (status === 'registered' ? row.approvedAt : (row.checkedInAt ?? row.approvedAt)) ?? registeredAt;
}

/** Players from which a page ends: 500 rosters of 40 names would hold up the thread for half a second. */
const maxPlayers = 2_000;

/**
 * Participants in the order of registration, up to 500 a page, fewer where their rosters are long, without answers. Each row
 * lists what the caller may do.
 */
export const desk = tournamentProcedure('participants:read')
  .meta({ errors: ['INVALID_CURSOR'] })
  .input(deskInput)
  .output(deskPage)
  .query(async ({ ctx, input }) => {
    const { tournamentId } = ctx;
    const { limit, search, registrationStatus, status, cursor } = input;
    const where = [Prisma.sql`p."tournamentId" = ${tournamentId}`];
    if (registrationStatus) {
      where.push(Prisma.sql`p."registrationStatus" = ANY(${registrationStatus}::"registration_status"[])`);
    }
    if (status) where.push(Prisma.sql`p."status" = ANY(${status}::"participant_status"[])`);
    if (cursor) {
      const { registeredAt, id } = parseCursor(cursor);
      where.push(Prisma.sql`(p."registeredAt", p."id") > (${registeredAt}, ${id})`);
    }
    const pageOf = (columns: Prisma.Sql, conditions: Prisma.Sql[]) => Prisma.sql`
      SELECT ${columns} FROM "participant" p WHERE ${Prisma.join(conditions, ' AND ')}
      ORDER BY p."registeredAt", p."id" LIMIT ${limit + 1}`;
    let wanted = where;
    if (search) {
      // Compares the names of thousands of rosters.
      const named = pageOf(Prisma.sql`p."id"`, [...where, isNamed(search)]);
      const ids = (await report<{ id: string }>(await readerOf(ctx), named)).map(({ id }) => id);
      wanted = [Prisma.sql`p."id" = ${anyOf(ids)}`];
    }
    const [found, tournament] = await Promise.all([
      // Selects the page by its index first, so that the rest is read for its rows only.
      rowsOf<Row>(
        ctx.db,
        Prisma.sql`
        SELECT p."id", p."type", p."userId", p."name", CASE WHEN p."acceptedAt" IS NOT NULL THEN u."email" END AS "email", p."registrationStatus", p."status", p."seed",
          p."statusReason", p."version", p."registeredAt", p."approvedAt", p."checkedInAt", p."cancelledAt",
          p."standingBefore", p."waitlistOrder", p."onPage", coalesce(roster.players, '{}') AS players
        FROM (
          SELECT p.*, (count(p."id") OVER ())::int AS "onPage",
            coalesce(sum(r.players) OVER (ORDER BY p."registeredAt", p."id" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS "playersBefore"
          FROM (${pageOf(Prisma.sql`*`, wanted)}) p
          CROSS JOIN LATERAL (SELECT count(m."id") AS players FROM "roster_member" m WHERE m."participantId" = p."id") r
        ) p LEFT JOIN "user" u ON u."id" = p."userId"
        LEFT JOIN LATERAL (
          SELECT array_agg(coalesce(player."name", m."name") ORDER BY m."role", m."createdAt", m."id") AS players
          FROM "roster_member" m LEFT JOIN "user" player ON player."id" = m."userId" WHERE m."participantId" = p."id"
        ) roster ON p."type" = 'team'
        WHERE p."playersBefore" < ${maxPlayers}
        ORDER BY p."registeredAt", p."id"`,
      ),
      readTournamentContext(tournamentId),
    ]);
    const facts = factsOf(tournament, new Date());
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const positions = await waitlistPositions(ctx.db, rows);
    const items = rows.map(
      ({ waitlistOrder, standingBefore: before, approvedAt, cancelledAt: _c, onPage: _o, ...row }): DeskRow => ({
        ...row,
        registeredAt: row.registeredAt.toISOString(),
        checkedInAt: row.checkedInAt?.toISOString() ?? null,
        since: since({ ...row, approvedAt, cancelledAt: _c, waitlistOrder, standingBefore: before }).toISOString(),
        waitlistPosition: positions.get(row.id) ?? null,
        rosterSize: row.players.length,
        owesCheckIn: owesCheckIn({ ...row, approvedAt }, checkInEnd(tournament)),
        actions: possibleActions(ctx.scope.role, { ...row, before, approvedAt }, facts),
      }),
    );
    const nextCursor = last && rows.length < last.onPage ? `${last.registeredAt.toISOString()}/${last.id}` : null;
    return { items, nextCursor };
  });
