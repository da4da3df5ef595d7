import { checkInEnd } from '@/domain/participants/check-in';
import { Prisma } from '@/generated/prisma/client';
import type { TournamentGetPayload } from '@/generated/prisma/models';
import { readerOf } from '@/server/context';
import type { Tx } from '@/server/db';
import { report } from '@/server/report';
import {
  type DayCount,
  participantCounts,
  projectCountsInput,
  projectCountsOutput,
} from '@/server/routers/participants/schema';
import { projectProcedure } from '@/server/routers/projects/gate';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';

/** The most tournaments in the project overview; the soonest ones. */
const maxTournaments = 50;
const days = 14;

const checkInSelect = { id: true, startDate: true, checkInOpensAt: true, checkInClosesAt: true } as const;

/** How many of each tournament waited for a slot until check-in had closed, so that they need not check in (`owesCheckIn`). */
async function countLate(tx: Tx, tournaments: TournamentGetPayload<{ select: typeof checkInSelect }>[]) {
  const since = tournaments.flatMap((tournament) => {
    const end = checkInEnd(tournament);
    if (end === null) return [];
    const closed = new Date(end);
    return [{ tournamentId: tournament.id, registeredAt: { lt: closed }, approvedAt: { gte: closed } }];
  });
  const groups = await tx.participant.groupBy({
    by: ['tournamentId'],
    where: { OR: since, registrationStatus: 'approved', status: 'registered' },
    _count: true,
  });
  return new Map(groups.map(({ tournamentId, _count }) => [tournamentId, _count]));
}

/** The two are counted one after the other, so somebody may have moved up in between. */
const owing = (registered: number, late = 0) => Math.max(0, registered - late);

/** Participants of a tournament by state, for the filters of the desk. */
export const counts = tournamentProcedure('participants:read')
  .output(participantCounts)
  .query(async ({ ctx }) => {
    const groups = await ctx.db.participant.groupBy({
      by: ['registrationStatus', 'status'],
      where: { tournamentId: ctx.tournamentId },
      _count: true,
    });
    const tournament = await ctx.db.tournament.findUniqueOrThrow({
      where: { id: ctx.tournamentId },
      select: checkInSelect,
    });
    const late = (await countLate(ctx.db, [tournament])).get(ctx.tournamentId);
    const counted = {
      total: 0,
      pending: 0,
      approved: 0,
      rejected: 0,
      waitlisted: 0,
      cancelled: 0,
      notCheckedIn: 0,
      checkedIn: 0,
    };
    for (const { registrationStatus, status, _count } of groups) {
      counted.total += _count;
      counted[registrationStatus] += _count;
      if (registrationStatus !== 'approved') continue;
      if (status === 'checked_in') counted.checkedIn += _count;
      if (status === 'registered') counted.notCheckedIn += owing(_count, late);
    }
    return counted;
  });

/** Pending, waitlisted and checked-in participants of the project's current tournaments, and registrations per day (UTC). */
export const ofProject = projectProcedure('participants:read')
  .input(projectCountsInput)
  .output(projectCountsOutput)
  .query(async ({ ctx }) => {
    const { projectId } = ctx.scope;
    const tournaments = await ctx.db.tournament.findMany({
      where: { projectId, status: { in: ['PUBLISHED', 'IN_PROGRESS'] } },
      orderBy: [{ startDate: 'asc' }, { id: 'asc' }],
      take: maxTournaments,
      select: checkInSelect,
    });
    const ids = tournaments.map(({ id }) => id);
    const asker = await readerOf(ctx);
    const [groups, late, registered] = await Promise.all([
      ctx.db.participant.groupBy({
        by: ['tournamentId', 'registrationStatus', 'status'],
        where: { tournamentId: { in: ids }, registrationStatus: { in: ['pending', 'approved', 'waitlisted'] } },
        _count: true,
      }),
      countLate(ctx.db, tournaments),
      report<DayCount>(
        asker,
        Prisma.sql`
        SELECT to_char(d.day, 'YYYY-MM-DD') AS day, coalesce(r.registrations, 0)::int AS registrations
        FROM generate_series(date_trunc('day', now() AT TIME ZONE 'UTC') - make_interval(days => ${days - 1}),
          date_trunc('day', now() AT TIME ZONE 'UTC'), interval '1 day') d(day)
        LEFT JOIN (
          SELECT date_trunc('day', p."registeredAt" AT TIME ZONE 'UTC') AS day, count(*) AS registrations
          FROM "participant" p JOIN "tournament" t ON t."id" = p."tournamentId"
          WHERE t."projectId" = ${projectId} AND p."registeredAt" >= now() - make_interval(days => ${days})
          GROUP BY 1
        ) r ON r.day = d.day
        ORDER BY d.day`,
      ),
    ]);
    const waiting = new Map(
      ids.map((tournamentId) => [
        tournamentId,
        { tournamentId, pending: 0, waitlisted: 0, notCheckedIn: 0, checkedIn: 0 },
      ]),
    );
    for (const { tournamentId, registrationStatus, status, _count } of groups) {
      const counted = waiting.get(tournamentId);
      if (!counted) continue;
      if (registrationStatus === 'pending') counted.pending += _count;
      else if (registrationStatus === 'waitlisted') counted.waitlisted += _count;
      else if (status === 'registered') counted.notCheckedIn += owing(_count, late.get(tournamentId));
      else if (status === 'checked_in') counted.checkedIn += _count;
    }
    return { tournaments: [...waiting.values()], registrationsByDay: registered };
  });
