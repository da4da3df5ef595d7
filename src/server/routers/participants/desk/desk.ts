import type { ParticipantState } from '@/domain/participants/statuses';
import { moment } from '@/domain/tournaments/settings';
import { Prisma } from '@/generated/prisma/client';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import {
  factsOf,
  readTournamentContext,
  waitlistPosition,
  waitlistPositions,
} from '@/server/routers/participants/data';
import { managedSelect, toManaged } from '@/server/routers/participants/data-views';
import { possibleActions, type RestorableState } from '@/server/routers/participants/rules';
import { participantIdInput } from '@/server/routers/participants/schema';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { type DeskRow, deskInput, deskPage, deskParticipant, historyInput, participantHistory } from './schema';

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
  };

/** When an entrant came to stand as they do, as far as a row tells. */
function since({ registrationStatus, status, registeredAt, ...row }: Row): Date {
  if (registrationStatus === 'cancelled') return row.cancelledAt ?? registeredAt;
  if (registrationStatus !== 'approved') return registeredAt;
  return (status === 'registered' ? row.approvedAt : (row.checkedInAt ?? row.approvedAt)) ?? registeredAt;
}

/** `%` and `_` in a search are letters, not wildcards. */
const within = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/**
 * The desk's rows in the order of registration, up to 500 a page, without answers. A row says what the caller may do to it.
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
    if (search) {
      where.push(Prisma.sql`(p."name" ILIKE ${within(search)} OR EXISTS (
        SELECT 1 FROM "roster_member" m JOIN "user" player ON player."id" = m."userId"
        WHERE m."participantId" = p."id" AND m."tournamentId" = ${tournamentId} AND player."name" ILIKE ${within(search)}))`);
    }
    if (cursor) {
      const { registeredAt, id } = parseCursor(cursor);
      where.push(Prisma.sql`(p."registeredAt", p."id") > (${registeredAt}, ${id})`);
    }
    const [found, tournament] = await Promise.all([
      // The page first, as the index has it: everything else is read for its rows alone.
      ctx.db.$queryRaw<Row[]>`
        SELECT p."id", p."type", p."userId", p."name", u."email", p."registrationStatus", p."status", p."seed",
          p."statusReason", p."version", p."registeredAt", p."approvedAt", p."checkedInAt", p."cancelledAt",
          p."standingBefore", p."waitlistOrder", coalesce(roster.players, '{}') AS players
        FROM (
          SELECT * FROM "participant" p WHERE ${Prisma.join(where, ' AND ')}
          ORDER BY p."registeredAt", p."id" LIMIT ${limit + 1}
        ) p JOIN "user" u ON u."id" = p."userId"
        LEFT JOIN LATERAL (
          SELECT array_agg(player."name" ORDER BY m."role", m."createdAt", m."userId") AS players
          FROM "roster_member" m JOIN "user" player ON player."id" = m."userId" WHERE m."participantId" = p."id"
        ) roster ON p."type" = 'team'
        ORDER BY p."registeredAt", p."id"`,
      readTournamentContext(tournamentId),
    ]);
    const facts = factsOf(tournament, new Date());
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const places = await waitlistPositions(ctx.db, rows);
    const items = rows.map(
      ({ waitlistOrder, standingBefore: before, approvedAt: _a, cancelledAt: _c, ...row }): DeskRow => ({
        ...row,
        registeredAt: row.registeredAt.toISOString(),
        checkedInAt: row.checkedInAt?.toISOString() ?? null,
        since: since({ ...row, approvedAt: _a, cancelledAt: _c, waitlistOrder, standingBefore: before }).toISOString(),
        waitlistPosition: places.get(row.id) ?? null,
        rosterSize: row.players.length,
        actions: possibleActions(ctx.scope.role, { ...row, before }, facts),
      }),
    );
    const nextCursor = found.length > limit && last ? `${last.registeredAt.toISOString()}/${last.id}` : null;
    return { items, nextCursor };
  });

/** The most roster changes that are read of one entrant. */
const rosterChangesAtMost = 100;

const noSuchEntrant = () => refuse('NOT_FOUND', { message: 'There is no such entrant in this tournament.' });

/** People's names by id. @returns a way to show someone, whose name is null when there is no such account */
async function readNames(tx: Tx, ids: (string | null | undefined)[]) {
  const wanted = [...new Set(ids.filter((id) => id != null))];
  const people = await tx.user.findMany({ where: { id: { in: wanted } }, select: { id: true, name: true } });
  const names = new Map(people.map(({ id, name }) => [id, name]));
  return (id: string) => ({ id, name: names.get(id) ?? null });
}

/** One entrant with roster and its changes, answers and what the caller may do to it now. */
export const read = tournamentProcedure('participants:read')
  .input(participantIdInput)
  .output(deskParticipant)
  .query(async ({ ctx, input }) => {
    const { tournamentId } = ctx;
    const [row, tournament, changes] = await Promise.all([
      ctx.db.participant.findUnique({ where: { id: input.participantId, tournamentId }, select: managedSelect }),
      readTournamentContext(tournamentId),
      ctx.db.rosterChange.findMany({
        where: { participantId: input.participantId, tournamentId },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: rosterChangesAtMost,
      }),
    ]);
    if (!row) throw noSuchEntrant();
    const person = await readNames(
      ctx.db,
      changes.flatMap(({ outUserId, inUserId, actorId }) => [outUserId, inUserId, actorId]),
    );
    const place = await waitlistPosition(ctx.db, row);
    const viewer = { userId: ctx.actingUser.id, role: ctx.scope.role, facts: factsOf(tournament, new Date()) };
    const rosterChanges = changes.map(({ id, createdAt, outUserId, inUserId, role, reason, actorId }) => ({
      ...{ id, at: createdAt.toISOString(), role, reason },
      ...{ out: person(outUserId), in: person(inUserId), by: person(actorId) },
    }));
    return { ...toManaged(row, { ...viewer, place }), rosterChanges };
  });

/** What happened to one entrant, newest first: every event of theirs, with who did it. */
export const history = tournamentProcedure('participants:read')
  .meta({ errors: ['INVALID_CURSOR'] })
  .input(historyInput)
  .output(participantHistory)
  .query(async ({ ctx, input }) => {
    const { participantId, limit, cursor } = input;
    if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw refuse('INVALID_CURSOR');
    const entrant = await ctx.db.participant.findUnique({
      where: { id: participantId, tournamentId: ctx.tournamentId },
      select: { id: true },
    });
    if (!entrant) throw noSuchEntrant();
    const found = await ctx.db.domainEvent.findMany({
      where: { aggregateId: participantId, sequence: cursor === undefined ? undefined : { lt: BigInt(cursor) } },
      orderBy: { sequence: 'desc' },
      take: limit + 1,
      select: { id: true, sequence: true, type: true, payload: true, metadata: true, occurredAt: true },
    });
    const rows = found.slice(0, limit).map(({ payload, metadata, ...row }) => ({
      ...row,
      // Both were written by `emit`, in the catalogue's shapes.
      payload: payload as Told,
      actor: (metadata as { actor?: { type: string; id: string | null } }).actor ?? { type: 'system', id: null },
    }));
    const person = await readNames(
      ctx.db,
      rows.flatMap(({ actor, payload }) => [actor.id, payload.outUserId, payload.inUserId]),
    );
    const items = rows.map(({ id, type, occurredAt, actor, payload }) => ({
      id,
      type,
      at: occurredAt.toISOString(),
      actor: { ...actor, name: actor.id === null ? null : person(actor.id).name },
      registrationStatus: payload.registrationStatus,
      status: payload.status,
      previous: payload.previous ?? null,
      reason: payload.reason ?? null,
      changes: payload.changes ?? [],
      substitution:
        payload.outUserId && payload.inUserId ? { out: person(payload.outUserId), in: person(payload.inUserId) } : null,
    }));
    const last = rows.at(-1);
    return { items, nextCursor: found.length > limit && last ? String(last.sequence) : null };
  });

type Told = ParticipantState & {
  previous?: ParticipantState | null;
  reason?: string | null;
  changes?: string[];
  outUserId?: string;
  inUserId?: string;
};
