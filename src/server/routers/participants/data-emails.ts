import { activeRegistrationStatuses, type ParticipantState } from '@/domain/participants/statuses';
import { Prisma } from '@/generated/prisma/client';
import type { TournamentGetPayload } from '@/generated/prisma/models';
import { anyOf, columnsOf, db, rowsOf } from '@/server/db';
import { type EmailPage, type EventEmails, type EventToEmail, emailsWritten } from '@/server/email/event-emails';
import { queueEmailsOnce } from '@/server/email/outbox';
import { cancellationEmail, type ParticipantNotice, participantEmail } from '@/server/email/participant-emails';
import { turnsOfProjects } from '@/server/events/project-turn';
import { type Recipients, readRecipients, wantsEmail } from '@/server/routers/participants/data-recipients';
import { queueRosterNotices } from '@/server/routers/participants/roster/data-notices';
import { FairQueue, type Turn } from '@/server/worker/fair-queue';

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
/** Causes only the notice to players who were put on a roster. */
const updated = 'participant.updated';
/** Events that participants get emails about. */
const emailedEvents = [...toRoster, ...toCaptain, 'participant.substituted', updated, cancelled];

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
  projectId: true,
  slug: true,
  name: true,
  startDate: true,
  timezone: true,
  checkInOpensAt: true,
} as const;
type EmailedTournament = TournamentGetPayload<{ select: typeof tournamentSelect }>;

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

/** Who of a participant's people may be emailed about it. Only who has agreed: staff and captains name whom they like. */
type Agreements = {
  /** The registrant and players on the roster who have agreed to be there, and those who had when they were replaced. */
  agreed: string[];
  /** Those of them on the roster now. */
  rostered: string[];
  /** Players who were named, the registrant too, and have not accepted, with who named them: they get one fixed notice. */
  named: Map<string, string | null>;
};
const nobody: Agreements = { agreed: [], rostered: [], named: new Map() };

type AgreementRow = {
  id: string;
  userId: string | null;
  accepted: boolean;
  decidedById: string | null;
  roster: { userId: string; accepted: boolean; addedById: string | null }[];
  replaced: string[];
};

/** Who has agreed to hear about participants that exist. */
async function readAgreements(participantIds: string[]): Promise<Map<string, Agreements>> {
  const rows = await rowsOf<AgreementRow>(
    db,
    Prisma.sql`
    SELECT p."id", p."userId", p."acceptedAt" IS NOT NULL AS accepted, p."decidedById",
      coalesce((SELECT json_agg(json_build_object('userId', r."userId", 'accepted', r."acceptedAt" IS NOT NULL,
          'addedById', r."addedById"))
        FROM "roster_member" r WHERE r."participantId" = p."id" AND r."userId" IS NOT NULL), '[]') AS roster,
      ARRAY(SELECT c."outUserId" FROM "roster_change" c WHERE c."participantId" = p."id" AND c."outAccepted") AS replaced
    FROM "participant" p WHERE p."id" = ${anyOf(participantIds)}`,
  );
  return new Map(
    rows.map(({ id, userId, accepted, decidedById, roster, replaced }) => {
      const all = userId === null ? roster : [{ userId, accepted, addedById: null }, ...roster];
      const waiting = all.filter((one) => !one.accepted);
      const named = new Map(waiting.map((one) => [one.userId, one.addedById ?? decidedById]));
      const rostered = all.flatMap((one) => (named.has(one.userId) ? [] : [one.userId]));
      const agreed = [...rostered, ...replaced.filter((one) => !named.has(one))];
      return [id, { agreed, rostered, named }];
    }),
  );
}

/** Events of a removed participant that are looked at, its first and its last: somebody may have caused thousands. */
const pastEvents = 50;

/**
 * The same of participants that were removed: their roster is gone with them, and the registrant has agreed who did
 * something about the registration.
 */
async function readPast(removed: { participantId: string; userId: string | null }[]): Promise<Map<string, Agreements>> {
  const pairs = new Map(removed.map((one) => [`${one.participantId} ${one.userId}`, one]));
  if (pairs.size === 0) return new Map();
  const own = await rowsOf<{ id: string; userId: string }>(
    db,
    Prisma.sql`
    SELECT v."id", v."userId"
    FROM jsonb_to_recordset(${JSON.stringify([...pairs.values()].map(({ participantId: id, userId }) => ({ id, userId })))}::jsonb)
      AS v("id" text, "userId" text)
    WHERE EXISTS (
      SELECT FROM (
        (SELECT "type", "metadata", "occurredAt" FROM "domain_event" WHERE "aggregateId" = v."id" ORDER BY "sequence" LIMIT ${pastEvents})
        UNION ALL
        (SELECT "type", "metadata", "occurredAt" FROM "domain_event" WHERE "aggregateId" = v."id" ORDER BY "sequence" DESC LIMIT ${pastEvents})
      ) e WHERE e."type" IN ('participant.registered', ${updated}) AND e."metadata"->'actor'->>'id' = v."userId"
        AND e."occurredAt" > coalesce((SELECT "takenOverAt" FROM "user" WHERE "id" = v."userId"), '-infinity'))`,
  );
  return new Map(own.map(({ id, userId }) => [id, { ...nobody, agreed: [userId] }]));
}

/**
 * Queues the emails that events call for, in their order: one for each event and recipient, however often this runs.
 * @param whose `asked`: only those that their recipient caused
 */
async function queueParticipantEmails(events: EventToEmail[], whose: 'asked' | 'all'): Promise<void> {
  const about = events.map((event) => ({
    ...event,
    payload: event.payload as Payload,
    metadata: event.metadata as Metadata,
  }));
  const [tournaments, present] = await Promise.all([
    rowsOf<EmailedTournament>(
      db,
      Prisma.sql`SELECT ${columnsOf('t', tournamentSelect)} FROM "tournament" t
        WHERE t."id" = ${anyOf(about.map(({ payload }) => payload.tournamentId))}`,
    ),
    readAgreements(about.map(({ payload }) => payload.participantId)),
  ]);
  const past = await readPast(about.flatMap(({ payload }) => (present.has(payload.participantId) ? [] : [payload])));
  const agreementsOf = ({ participantId }: Payload) => present.get(participantId) ?? past.get(participantId) ?? nobody;
  const byId = new Map(tournaments.map((row) => [row.id, row]));
  const recipients = about.map(({ type, payload }) => {
    if (type === updated) return [];
    const { agreed, rostered } = agreementsOf(payload);
    const others = toRoster.includes(type) ? rostered : [payload.outUserId, payload.inUserId];
    const all = [payload.userId, ...others].filter((id) => id != null);
    return [...new Set(all)].filter((id) => agreed.includes(id));
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
      const dedupeKey = `${id}:${userId}`;
      return email ? [{ to: user.email, kind: type, email, asked, dedupeKey, sourceId: tournament.projectId }] : [];
    });
  });
  // What people cause themselves waits for nothing that others do to their addresses.
  for (const isOwn of whose === 'all' ? [true, false] : [true]) {
    const some = emails.filter(({ asked }) => asked === isOwn);
    if (some.length > 0) await db.$transaction((tx) => queueEmailsOnce(tx, some));
  }
  if (whose === 'asked') return;
  const notices = about.flatMap(({ payload, metadata }) =>
    [...agreementsOf(payload).named].map(([userId, namedById]) => ({
      ...{ userId, tournamentId: payload.tournamentId, namedById: namedById ?? metadata.actor?.id ?? null },
      projectId: byId.get(payload.tournamentId)?.projectId ?? null,
    })),
  );
  await queueRosterNotices(notices);
}

const pageSize = 500;
/** So many events cause a page of emails at most: a roster has 40 players. */
const eventsOfPage = 12;
/** Events about registrations of single players by themselves cause one email each. */
const ownEventsOfPage = 100;
/** By the number of events. More of them wait in the database. */
const limits = { running: [2, 1], waiting: 40_000, waitingOfOwner: 10_000 };
/** Pages of emails: one person can disqualify hundreds of rosters a second, or cancel tournaments with thousands registered in each. */
const pages = new FairQueue(limits);
/** What people cause themselves waits for no emails to rosters. */
const ownPages = new FairQueue(limits);

/**
 * Queues one page of the emails about a cancelled tournament, to every player with an active registration.
 * @param after the last user id of the page before
 * @returns the value of `after` for the next page; null after the last
 */
async function queueCancellationPage(
  eventId: string,
  tournament: EmailedTournament,
  after: string,
): Promise<string | null> {
  const statuses = Prisma.raw(activeRegistrationStatuses.map((status) => `'${status}'`).join(', '));
  const affected = Prisma.sql`e."registrationStatus" IN (${statuses})
    AND e."status" NOT IN ('disqualified', 'withdrew')`;
  // Both parts stop after one page of their index, so that a page of a large tournament costs no more.
  const rows = await db.$queryRaw<{ id: string }[]>`
    (SELECT e."userId" AS id FROM "participant" e
     WHERE e."tournamentId" = ${tournament.id} AND e."userId" > ${after} AND e."acceptedAt" IS NOT NULL AND ${affected}
     ORDER BY e."userId" LIMIT ${pageSize})
    UNION
    (SELECT r."userId" FROM "roster_member" r JOIN "participant" e ON e."id" = r."participantId"
     WHERE r."tournamentId" = ${tournament.id} AND r."userId" > ${after} AND r."acceptedAt" IS NOT NULL AND ${affected}
     ORDER BY r."userId" LIMIT ${pageSize})
    ORDER BY id LIMIT ${pageSize}`;
  const people = await readRecipients(rows.map(({ id }) => id));
  const emails = rows.flatMap(({ id }) => {
    const user = people.get(id);
    if (!user || !wantsEmail(user)) return [];
    const email = cancellationEmail(user, tournament);
    const dedupeKey = `${eventId}:${id}`;
    return [{ to: user.email, kind: cancelled, email, dedupeKey, sourceId: tournament.projectId }];
  });
  await db.$transaction((tx) => queueEmailsOnce(tx, emails));
  return rows.length < pageSize ? null : (rows.at(-1)?.id ?? null);
}

/** Queues the emails about a cancelled tournament, each page when it is the project's turn. */
async function queueCancellationEmails(eventId: string, turn: Turn): Promise<void> {
  const event = await db.domainEvent.findUnique({ where: { id: eventId }, select: { aggregateId: true } });
  const id = event?.aggregateId;
  const tournament = id ? await db.tournament.findUnique({ where: { id }, select: tournamentSelect }) : null;
  if (!tournament) return;
  let after: string | null = '';
  while (after !== null) {
    const from: string = after;
    after = await pages.run(turn, () => queueCancellationPage(eventId, tournament, from));
  }
}

/** Whether the registrant caused an event, and waits for its email. */
function isOwn({ payload, metadata }: EventToEmail): boolean {
  const { userId } = payload as Payload;
  return userId !== null && (metadata as Metadata).actor?.id === userId;
}
const isAlone = (event: EventToEmail) => isOwn(event) && (event.payload as Payload).type === 'individual';

function inPages(events: EventToEmail[], size: number): EventToEmail[][] {
  const count = Math.ceil(events.length / size);
  return Array.from({ length: count }, (_, index) => events.slice(index * size, (index + 1) * size));
}

/** The pages about events of one project. */
function pagesOfProject(events: EventToEmail[], turn: Turn): EmailPage[] {
  const cancellations = events.filter(({ type }) => type === cancelled);
  const others = events.filter(({ type }) => type !== cancelled);
  const alone = others.filter(isAlone);
  const ofMany = others.filter((event) => !isAlone(event));
  const page = (about: EventToEmail[], write: () => Promise<unknown>): EmailPage => ({
    events: about,
    async write() {
      await write();
      await emailsWritten(about.map(({ id }) => id));
    },
  });
  const queue = (queueOfPage: FairQueue, about: EventToEmail[], whose: 'asked' | 'all') =>
    about.length === 0
      ? Promise.resolve()
      : queueOfPage.run({ ...turn, size: about.length }, () => queueParticipantEmails(about, whose));
  return [
    ...inPages(alone, ownEventsOfPage).map((about) => page(about, () => queue(ownPages, about, 'all'))),
    ...inPages(ofMany, eventsOfPage).map((about) =>
      page(about, () => Promise.all([queue(ownPages, about.filter(isOwn), 'asked'), queue(pages, about, 'all')])),
    ),
    ...cancellations.map((event) => page([event], () => queueCancellationEmails(event.id, turn))),
  ];
}

/** The emails to participants about what happened to them. */
export const eventEmails: EventEmails = {
  types: emailedEvents,
  async pagesOf(events) {
    const byProject = new Map<string, EventToEmail[]>();
    for (const event of events) {
      const ofProject = byProject.get(event.projectId ?? '') ?? [];
      byProject.set(event.projectId ?? '', ofProject);
      ofProject.push(event);
    }
    const turns = await turnsOfProjects(byProject.keys());
    return [...turns].flatMap(([projectId, turn]) => pagesOfProject(byProject.get(projectId) ?? [], turn));
  },
};
