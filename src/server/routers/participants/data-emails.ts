import { activeRegistrationStatuses, type ParticipantState } from '@/domain/participants/statuses';
import { Prisma } from '@/generated/prisma/client';
import { db, type Tx } from '@/server/db';
import { queueEmailsOnce } from '@/server/email/outbox';
import { cancellationEmail, type ParticipantNotice, participantEmail } from '@/server/email/participant-emails';

/** Events that the whole roster gets an email about. */
const toRoster = [
  'participant.registered',
  'participant.approved',
  'participant.disqualified',
  'participant.reinstated',
  'participant.no_show',
];
/** Events that only the player or captain gets an email about. */
const toCaptain = ['participant.rejected', 'participant.waitlisted', 'participant.withdrawn', 'participant.removed'];
const cancelled = 'tournament.cancelled';
/** Events that participants get emails about. */
export const emailedEvents = [...toRoster, ...toCaptain, 'participant.substituted', cancelled];

/** Older events get no email: the state that they report may have changed since. */
const maxEventAgeMs = 24 * 3_600_000;

type Payload = ParticipantState & {
  tournamentId: string;
  participantId: string;
  /** Null: a guest, who gets no email. */
  userId: string | null;
  name: string;
  type: 'individual' | 'team';
  previous?: ParticipantState | null;
  reason?: string | null;
  outUserId?: string;
  inUserId?: string;
};
type Metadata = { actor?: { id: string | null } };

const tournamentSelect = {
  id: true,
  slug: true,
  name: true,
  startDate: true,
  timezone: true,
  checkInOpensAt: true,
} as const;

/** The people who could get an email, by id. */
export async function readRecipients(ids: Iterable<string>, tx: Tx = db) {
  const users = await tx.user.findMany({
    where: { id: { in: [...new Set(ids)] } },
    select: {
      id: true,
      name: true,
      email: true,
      timezone: true,
      emailNotifications: true,
      emailVerifiedAt: true,
      suspendedAt: true,
    },
  });
  return new Map(users.map((user) => [user.id, user]));
}
type Recipients = Awaited<ReturnType<typeof readRecipients>>;

type Reachable = { emailNotifications: boolean; emailVerifiedAt: Date | null; suspendedAt: Date | null };

/** An address that nobody has confirmed may belong to someone who has never heard of us. */
export const wantsEmail = (user: Reachable | undefined) =>
  Boolean(user?.emailNotifications && user.emailVerifiedAt && !user.suspendedAt);

function noticeOf(type: string, payload: Payload, { actor }: Metadata, people: Recipients): ParticipantNotice {
  const named = (id: string | undefined) => (id ? { id, name: people.get(id)?.name ?? 'A player' } : undefined);
  return {
    type,
    registrationStatus: payload.registrationStatus,
    status: payload.status,
    previous: payload.previous ?? null,
    reason: payload.reason ?? null,
    team: payload.type === 'team' ? payload.name : null,
    bySelf: payload.userId !== null && actor?.id === payload.userId,
    out: named(payload.outUserId),
    in: named(payload.inUserId),
  };
}

/**
 * Queues the emails that domain events call for: one for each event and recipient, however often this runs.
 * @returns the ids of the new emails, and the ids of cancellations, which `queueCancellationEmails` handles
 */
export async function queueParticipantEmails(
  eventIds: string[],
): Promise<{ emailIds: string[]; cancellations: string[] }> {
  const events = await db.domainEvent.findMany({
    where: {
      id: { in: eventIds },
      type: { in: emailedEvents },
      occurredAt: { gt: new Date(Date.now() - maxEventAgeMs) },
    },
    orderBy: { sequence: 'asc' },
    select: { id: true, type: true, payload: true, metadata: true },
  });
  const cancellations = events.filter(({ type }) => type === cancelled).map(({ id }) => id);
  const about = events.flatMap(({ id, type, payload, metadata }) =>
    type === cancelled ? [] : [{ id, type, payload: payload as unknown as Payload, metadata: metadata as Metadata }],
  );
  if (about.length === 0) return { emailIds: [], cancellations };

  const [tournaments, roster] = await Promise.all([
    db.tournament.findMany({
      where: { id: { in: about.map(({ payload }) => payload.tournamentId) } },
      select: tournamentSelect,
    }),
    db.rosterMember.findMany({
      where: { participantId: { in: about.map(({ payload }) => payload.participantId) } },
      select: { participantId: true, userId: true },
    }),
  ]);
  const byId = new Map(tournaments.map((row) => [row.id, row]));
  const recipients = about.map(({ type, payload }) => {
    const members = roster.filter((row) => row.participantId === payload.participantId).map((row) => row.userId);
    const others = toRoster.includes(type) ? members : [payload.outUserId, payload.inUserId];
    return [...new Set([payload.userId, ...others])].filter((id) => id != null);
  });
  const people = await readRecipients(recipients.flat());
  const emails = about.flatMap(({ id, type, payload, metadata }, index) => {
    const tournament = byId.get(payload.tournamentId);
    if (!tournament) return [];
    const notice = noticeOf(type, payload, metadata, people);
    return (recipients[index] ?? []).flatMap((userId) => {
      const user = people.get(userId);
      if (!user || !wantsEmail(user)) return [];
      const email = participantEmail(notice, { ...user, isCaptain: userId === payload.userId }, tournament);
      const asked = metadata.actor?.id === userId;
      return email ? [{ to: user.email, kind: type, email, asked, dedupeKey: `${id}:${userId}` }] : [];
    });
  });
  return { emailIds: await db.$transaction((tx) => queueEmailsOnce(tx, emails)), cancellations };
}

const pageSize = 500;

/**
 * Queues one page of the emails about a cancelled tournament, to every player with an active registration.
 * @param after the last user id of the page before
 * @returns the ids of the new emails, and the value of `after` for the next page; null after the last
 */
export async function queueCancellationEmails(
  eventId: string,
  after: string,
): Promise<{ emailIds: string[]; next: string | null }> {
  const event = await db.domainEvent.findUnique({ where: { id: eventId }, select: { aggregateId: true } });
  const tournament = event
    ? await db.tournament.findUnique({ where: { id: event.aggregateId }, select: tournamentSelect })
    : null;
  if (!tournament) return { emailIds: [], next: null };
  const statuses = Prisma.raw(activeRegistrationStatuses.map((status) => `'${status}'`).join(', '));
  const affected = Prisma.sql`e."registrationStatus" IN (${statuses})
    AND e."status" NOT IN ('disqualified', 'withdrew')`;
  // Both parts stop after one page of their index, so that a page of a large tournament costs no more.
  const rows = await db.$queryRaw<{ id: string }[]>`
    (SELECT e."userId" AS id FROM "participant" e
     WHERE e."tournamentId" = ${tournament.id} AND e."userId" > ${after} AND ${affected}
     ORDER BY e."userId" LIMIT ${pageSize})
    UNION
    (SELECT r."userId" FROM "roster_member" r JOIN "participant" e ON e."id" = r."participantId"
     WHERE r."tournamentId" = ${tournament.id} AND r."userId" > ${after} AND ${affected}
     ORDER BY r."userId" LIMIT ${pageSize})
    ORDER BY id LIMIT ${pageSize}`;
  const people = await readRecipients(rows.map(({ id }) => id));
  const emails = rows.flatMap(({ id }) => {
    const user = people.get(id);
    if (!user || !wantsEmail(user)) return [];
    const email = cancellationEmail(user, tournament);
    return [{ to: user.email, kind: cancelled, email, dedupeKey: `${eventId}:${id}` }];
  });
  const emailIds = await db.$transaction((tx) => queueEmailsOnce(tx, emails));
  return { emailIds, next: rows.length < pageSize ? null : (rows.at(-1)?.id ?? null) };
}
