import { Prisma } from '@/generated/prisma/client';
import { anyOf, db, rowsOf, type Tx } from '@/server/db';
import type { NewEvent } from '@/server/events/emit';
import { Batcher } from '@/server/jobs/embedded/batcher';
import type { ParticipantRow } from './data';
import { type ParticipantEventRow, participantEvent } from './data-events';

/**
 * Gives free slots to the participants who have waited longest, in order. The tournament must be locked.
 * @param tournament as it is now
 * @param options.limit the most participants to promote; all free slots by default
 * @param options.exclude ids of participants to leave on the waitlist
 * @returns how many were promoted, and the events to emit
 */
export async function promoteFromWaitlist(
  tx: Tx,
  tournament: { id: string; projectId: string; maxParticipants: number; currentParticipants: number },
  { limit = Number.POSITIVE_INFINITY, exclude = [] }: { limit?: number; exclude?: string[] } = {},
): Promise<{ promoted: number; events: NewEvent[] }> {
  const free = Math.min(limit, tournament.maxParticipants - tournament.currentParticipants);
  if (free <= 0) return { promoted: 0, events: [] };
  const participants = await tx.$queryRaw<(ParticipantEventRow & { place: bigint })[]>`
    UPDATE "participant" p
    SET "registrationStatus" = 'approved', "waitlistOrder" = NULL, "approvedAt" = clock_timestamp(),
        "updatedAt" = clock_timestamp(), "version" = p."version" + 1
    FROM (
      SELECT "id", "waitlistOrder" AS place FROM "participant"
      WHERE "tournamentId" = ${tournament.id} AND "registrationStatus" = 'waitlisted' AND "id" <> ALL(${exclude}::text[])
      ORDER BY "waitlistOrder" LIMIT ${free}
    ) next
    WHERE p."id" = next."id"
    RETURNING p."id", p."tournamentId", p."userId", p."name", p."type", p."registrationStatus", p."status", p."seed", next.place`;
  if (participants.length === 0) return { promoted: 0, events: [] };
  await tx.tournament.update({
    where: { id: tournament.id },
    data: { currentParticipants: { increment: participants.length } },
    select: { id: true },
  });
  participants.sort((a, b) => Number(a.place - b.place));
  const previous = { registrationStatus: 'waitlisted', status: 'registered' } as const;
  const events = participants.map((row) =>
    participantEvent('participant.approved', tournament.projectId, row, previous),
  );
  return { promoted: participants.length, events };
}

/** How many `promoteFromWaitlist` would promote, where there may be several. */
export async function countPromotions(
  tx: Tx,
  tournamentId: string,
  { limit, exclude = [] }: { limit: number; exclude?: string[] },
): Promise<number> {
  if (limit <= 1) return Math.max(0, limit);
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      SELECT FROM "participant" WHERE "tournamentId" = ${tournamentId} AND "registrationStatus" = 'waitlisted'
        AND "id" <> ALL(${exclude}::text[]) LIMIT ${limit}) next`;
  return row?.count ?? 0;
}

/** Waitlist positions by participant id, in one statement for rows of any number of tournaments. */
export async function waitlistPositions(
  tx: Tx,
  rows: Pick<ParticipantRow, 'id' | 'waitlistOrder'>[],
): Promise<Map<string, number>> {
  const ids = rows.filter((row) => row.waitlistOrder !== null).map((row) => row.id);
  if (ids.length === 0) return new Map();
  // Counts from one requested row to the next, so that each part of the waitlist is read once.
  const positions = await rowsOf<{ id: string; position: number }>(
    tx,
    Prisma.sql`
    SELECT w."id", (sum(stretch.length) OVER (PARTITION BY w."tournamentId" ORDER BY w."waitlistOrder"))::int AS position
    FROM (
      SELECT "id", "tournamentId", "waitlistOrder",
        lag("waitlistOrder") OVER (PARTITION BY "tournamentId" ORDER BY "waitlistOrder") AS before
      FROM "participant" WHERE "id" = ${anyOf(ids)} AND "registrationStatus" = 'waitlisted'
    ) w CROSS JOIN LATERAL (
      SELECT count(*) AS length FROM "participant" q
      WHERE q."tournamentId" = w."tournamentId" AND q."registrationStatus" = 'waitlisted'
        AND q."waitlistOrder" > coalesce(w.before, 0) AND q."waitlistOrder" <= w."waitlistOrder"
    ) stretch`,
  );
  return new Map(positions.map(({ id, position }) => [id, position]));
}

type Waiting = Pick<ParticipantRow, 'id' | 'waitlistOrder'>;

/** Requests that arrive while a statement runs share the next one, which walks along the waitlist once for all. */
const askedPositions = new Batcher<Waiting, number | null>(100, async (rows) => {
  const positions = await waitlistPositions(db, rows);
  return rows.map(({ id }) => positions.get(id) ?? null);
});

/** The participant's position on the waitlist, 1 for the next to be promoted; null when they are not on it. */
export async function waitlistPosition(tx: Tx, row: Waiting): Promise<number | null> {
  if (row.waitlistOrder === null) return null;
  return tx === db ? askedPositions.add(row) : ((await waitlistPositions(tx, [row])).get(row.id) ?? null);
}
