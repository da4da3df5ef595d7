import { db } from '@/server/db';
import type { DemoTournament } from './content';
import { as, type Cast, playerOf } from './people';

const hour = 60 * 60_000;
const day = 24 * hour;

/** Makes a tournament of the demo up to its registrations; one with its name is replaced. */
export async function seedTournament(
  projectId: string,
  content: DemoTournament,
  cast: Cast,
  teams: ReadonlyMap<string, string> = new Map(),
) {
  const organizer = as(cast.organizer);
  const { tournaments } = organizer;
  const { settings, publishedDaysAgo, participants, approvalFrom, checkedIn = [] } = content;
  // An interrupted seeding may have left half of it.
  await db.tournament.deleteMany({ where: { projectId, name: settings.name } });

  const free = await db.tournament.findUnique({ where: { slug: settings.slug ?? '' }, select: { id: true } });
  const slug = free ? undefined : settings.slug;
  const { id: tournamentId } = await tournaments.create({ ...settings, slug, projectId });
  if (publishedDaysAgo === null) return tournaments.get({ tournamentId });
  await tournaments.publish({ tournamentId });

  const ids: string[] = [];
  for (const [place, { player, team, region }] of participants.entries()) {
    if (place === approvalFrom) await tournaments.update({ tournamentId, requiresApproval: true });
    const entered = await as(playerOf(cast, player)).participants.register({
      tournamentId,
      ...(team ? { teamId: teams.get(team) } : {}),
      ...(region ? { customFields: { region } } : {}),
    });
    ids.push(entered.id);
  }
  for (const place of checkedIn)
    await organizer.participants.checkIn({ tournamentId, participantId: ids[place] ?? '' });
  if (content.cancelled) await tournaments.cancel({ tournamentId });
  const now = Date.now();
  await spreadRegistrations(tournamentId, now - publishedDaysAgo * day, now - hour);
  return tournaments.get({ tournamentId });
}

/**
 * Moves what just happened back in time, the registrations evenly from publication to `until` (milliseconds), so that the
 * demo has a history.
 */
export async function spreadRegistrations(tournamentId: string, published: number, until: number): Promise<void> {
  const rows = await db.participant.findMany({
    where: { tournamentId },
    orderBy: [{ registeredAt: 'asc' }, { id: 'asc' }],
    select: { id: true, approvedAt: true },
  });
  await db.$transaction([
    db.tournament.update({
      where: { id: tournamentId },
      data: { createdAt: new Date(published - day), publishedAt: new Date(published) },
      select: { id: true },
    }),
    db.domainEvent.updateMany({
      where: {
        aggregateId: tournamentId,
        type: { in: ['tournament.created', 'tournament.published', 'registration.opened'] },
      },
      data: { occurredAt: new Date(published) },
    }),
    ...rows.flatMap(({ id, approvedAt }, index) => {
      const registeredAt = new Date(published + ((until - published) * (index + 0.6)) / (rows.length + 0.2));
      return [
        db.participant.update({
          where: { id },
          data: { registeredAt, createdAt: registeredAt, approvedAt: approvedAt && registeredAt },
          select: { id: true },
        }),
        db.domainEvent.updateMany({
          where: { aggregateId: id, type: { in: ['participant.registered', 'participant.waitlisted'] } },
          data: { occurredAt: registeredAt },
        }),
      ];
    }),
  ]);
}

/**
 * Moves the start and the results of a tournament back in time: it started at `started`, and a match ended every
 * `eachMs`.
 */
export async function spreadMatches(tournamentId: string, started: number, eachMs: number): Promise<void> {
  const at = new Date(started);
  await db.$transaction([
    db.$executeRaw`
      UPDATE "match" m SET "completedAt" = ${at}::timestamptz + o.place * ${eachMs}::float8 * interval '1 millisecond',
        "startedAt" = ${at}::timestamptz + (o.place - 0.8) * ${eachMs}::float8 * interval '1 millisecond'
      FROM (SELECT "id", row_number() OVER (ORDER BY "completedAt", "number") AS place FROM "match"
        WHERE "tournamentId" = ${tournamentId} AND "decidedBy" = 'result') o WHERE o."id" = m."id"`,
    db.$executeRaw`
      UPDATE "tournament" t SET "startDate" = ${at}::timestamptz, "startedAt" = ${at}::timestamptz, "completedAt" = CASE WHEN t."completedAt" IS NOT NULL
        THEN (SELECT max(m."completedAt") FROM "match" m WHERE m."tournamentId" = t."id") END
      WHERE t."id" = ${tournamentId}`,
    db.$executeRaw`
      UPDATE "domain_event" e SET "occurredAt" = coalesce(
        CASE e."type" WHEN 'match.completed' THEN m."completedAt" WHEN 'match.started' THEN m."startedAt" END, ${at}::timestamptz)
      FROM "match" m WHERE m."tournamentId" = ${tournamentId} AND e."aggregateId" = m."id"`,
    db.$executeRaw`
      UPDATE "domain_event" e SET "occurredAt" = coalesce(
        CASE e."type" WHEN 'tournament.completed' THEN t."completedAt" END, ${at}::timestamptz)
      FROM "tournament" t WHERE t."id" = ${tournamentId} AND e."aggregateId" = t."id"
        AND e."type" IN ('tournament.started', 'tournament.completed', 'registration.closed')`,
    db.$executeRaw`
      UPDATE "domain_event" e SET "occurredAt" = coalesce((SELECT max(m."completedAt") FROM "match" m
        WHERE p."id" IN (m."participantAId", m."participantBId")), ${at}::timestamptz)
      FROM "participant" p WHERE p."tournamentId" = ${tournamentId} AND e."aggregateId" = p."id"
        AND e."type" = 'participant.eliminated'`,
  ]);
}
