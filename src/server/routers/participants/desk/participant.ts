import type { ParticipantState } from '@/domain/participants/statuses';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { factsOf, noSuchParticipant, readTournamentContext } from '@/server/routers/participants/data';
import { managedSelect, toManaged } from '@/server/routers/participants/data-views';
import { waitlistPosition } from '@/server/routers/participants/data-waitlist';
import { participantIdInput } from '@/server/routers/participants/schema';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { deskParticipant, historyInput, participantHistory } from './schema';

/** The latest roster changes that are shown. */
const maxRosterChanges = 100;

/** Reads people's names. @returns a function from an id to the person; the name is null when the account is gone */
async function readNames(tx: Tx, ids: (string | null | undefined)[]) {
  const wanted = [...new Set(ids.filter((id) => id != null))];
  const people = await tx.user.findMany({ where: { id: { in: wanted } }, select: { id: true, name: true } });
  const names = new Map(people.map(({ id, name }) => [id, name]));
  return (id: string) => ({ id, name: names.get(id) ?? null });
}

/** One participant with roster, roster changes, answers, and what the caller may do to it now. */
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
        take: maxRosterChanges,
      }),
    ]);
    if (!row) throw noSuchParticipant();
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

/** The events of one participant, newest first, each with the person who caused it. */
export const history = tournamentProcedure('participants:read')
  .meta({ errors: ['INVALID_CURSOR'] })
  .input(historyInput)
  .output(participantHistory)
  .query(async ({ ctx, input }) => {
    const { participantId, limit, cursor } = input;
    if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw refuse('INVALID_CURSOR');
    const participant = await ctx.db.participant.findUnique({
      where: { id: participantId, tournamentId: ctx.tournamentId },
      select: { id: true },
    });
    if (!participant) throw noSuchParticipant();
    const found = await ctx.db.domainEvent.findMany({
      where: { aggregateId: participantId, sequence: cursor === undefined ? undefined : { lt: BigInt(cursor) } },
      orderBy: { sequence: 'desc' },
      take: limit + 1,
      select: { id: true, sequence: true, type: true, payload: true, metadata: true, occurredAt: true },
    });
    const rows = found.slice(0, limit).map(({ payload, metadata, ...row }) => ({
      ...row,
      // `emit` wrote both, in the shapes of the event catalog.
      payload: payload as HistoryPayload,
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
      isGuest: payload.userId === null,
      substitution:
        payload.outUserId && payload.inUserId ? { out: person(payload.outUserId), in: person(payload.inUserId) } : null,
    }));
    const last = rows.at(-1);
    return { items, nextCursor: found.length > limit && last ? String(last.sequence) : null };
  });

/** The fields of all participant events together. */
type HistoryPayload = ParticipantState & {
  userId: string | null;
  previous?: ParticipantState | null;
  reason?: string | null;
  changes?: string[];
  outUserId?: string;
  inUserId?: string;
};
