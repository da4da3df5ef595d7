import type { ParticipantState } from '@/domain/participants/statuses';
import { Prisma } from '@/generated/prisma/client';
import { db } from '@/server/db';
import { queueEmailsOnce } from '@/server/email/outbox';
import { cancellationEmail, type ParticipantNotice, participantEmail } from '@/server/email/participant-emails';

const toRoster = [
  'participant.registered',
  'participant.approved',
  'participant.disqualified',
  'participant.reinstated',
  'participant.no_show',
];
const toCaptain = ['participant.rejected', 'participant.waitlisted', 'participant.withdrawn', 'participant.removed'];
const cancelled = 'tournament.cancelled';
const told = [...toRoster, ...toCaptain, 'participant.substituted', cancelled];

/** What is older than this is no news: a letter would tell of a state long past. */
const newsForMs = 24 * 3_600_000;

type Payload = ParticipantState & {
  tournamentId: string;
  participantId: string;
  userId: string;
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

/** Who wants mail, with what letters to them need. */
async function readersOf(ids: Iterable<string>) {
  const users = await db.user.findMany({
    where: { id: { in: [...new Set(ids)] } },
    select: { id: true, name: true, email: true, timezone: true, emailNotifications: true, suspendedAt: true },
  });
  return new Map(users.map((user) => [user.id, user]));
}
type People = Awaited<ReturnType<typeof readersOf>>;
const wantsMail = (user: { emailNotifications: boolean; suspendedAt: Date | null } | undefined) =>
  Boolean(user?.emailNotifications && !user.suspendedAt);

function newsOf(type: string, payload: Payload, { actor }: Metadata, people: People): ParticipantNotice {
  const named = (id: string | undefined) => (id ? { id, name: people.get(id)?.name ?? 'A player' } : undefined);
  return {
    type,
    registrationStatus: payload.registrationStatus,
    status: payload.status,
    previous: payload.previous ?? null,
    reason: payload.reason ?? null,
    team: payload.type === 'team' ? payload.name : null,
    bySelf: actor?.id === payload.userId,
    out: named(payload.outUserId),
    in: named(payload.inUserId),
  };
}

/**
 * Writes the letters that domain events call for, each once however often this runs with the same events.
 * @returns the ids of the letters now in the outbox, and the events that concern a whole tournament, for `writeCancellations`
 */
export async function queueParticipantEmails(
  eventIds: string[],
): Promise<{ mailIds: string[]; cancellations: string[] }> {
  const events = await db.domainEvent.findMany({
    where: { id: { in: eventIds }, type: { in: told }, occurredAt: { gt: new Date(Date.now() - newsForMs) } },
    orderBy: { sequence: 'asc' },
    select: { id: true, type: true, payload: true, metadata: true },
  });
  const cancellations = events.filter(({ type }) => type === cancelled).map(({ id }) => id);
  const about = events.flatMap(({ id, type, payload, metadata }) =>
    type === cancelled ? [] : [{ id, type, payload: payload as unknown as Payload, metadata: metadata as Metadata }],
  );
  if (about.length === 0) return { mailIds: [], cancellations };

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
    return [...new Set([payload.userId, ...others])].filter((id) => id !== undefined);
  });
  const people = await readersOf(recipients.flat());
  const mails = about.flatMap(({ id, type, payload, metadata }, index) => {
    const tournament = byId.get(payload.tournamentId);
    if (!tournament) return [];
    const news = newsOf(type, payload, metadata, people);
    return (recipients[index] ?? []).flatMap((userId) => {
      const user = people.get(userId);
      if (!user || !wantsMail(user)) return [];
      const letter = participantEmail(news, { ...user, isCaptain: userId === payload.userId }, tournament);
      return letter ? [{ to: user.email, kind: type, email: letter, dedupeKey: `${id}:${userId}` }] : [];
    });
  });
  return { mailIds: await queueEmailsOnce(db, mails), cancellations };
}

const readersAtOnce = 500;

/**
 * Tells the next readers after `after` that a tournament was called off: everyone who is in it, waits or is pending.
 * @returns the ids of the letters, and the reader to go on after; null when all were told
 */
export async function queueCancellationEmails(
  eventId: string,
  after: string,
): Promise<{ mailIds: string[]; next: string | null }> {
  const event = await db.domainEvent.findUnique({ where: { id: eventId }, select: { aggregateId: true } });
  const tournament = event
    ? await db.tournament.findUnique({ where: { id: event.aggregateId }, select: tournamentSelect })
    : null;
  if (!tournament) return { mailIds: [], next: null };
  const concerned = Prisma.sql`e."registrationStatus" IN ('pending', 'approved', 'waitlisted')
    AND e."status" NOT IN ('disqualified', 'withdrew')`;
  // Either side ends after a page of its index, so that a page costs the same however many there are.
  const rows = await db.$queryRaw<{ id: string }[]>`
    (SELECT e."userId" AS id FROM "participant" e
     WHERE e."tournamentId" = ${tournament.id} AND e."userId" > ${after} AND ${concerned}
     ORDER BY e."userId" LIMIT ${readersAtOnce})
    UNION
    (SELECT r."userId" FROM "roster_member" r JOIN "participant" e ON e."id" = r."participantId"
     WHERE r."tournamentId" = ${tournament.id} AND r."userId" > ${after} AND ${concerned}
     ORDER BY r."userId" LIMIT ${readersAtOnce})
    ORDER BY id LIMIT ${readersAtOnce}`;
  const people = await readersOf(rows.map(({ id }) => id));
  const mails = rows.flatMap(({ id }) => {
    const user = people.get(id);
    if (!user || !wantsMail(user)) return [];
    const letter = cancellationEmail(user, tournament);
    return [{ to: user.email, kind: cancelled, email: letter, dedupeKey: `${eventId}:${id}` }];
  });
  const mailIds = await queueEmailsOnce(db, mails);
  return { mailIds, next: rows.length < readersAtOnce ? null : (rows.at(-1)?.id ?? null) };
}
