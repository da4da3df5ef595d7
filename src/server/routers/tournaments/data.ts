import { can } from '@/domain/projects/permissions';
import { isCheckInOpen, isRegistrationOpen, nextTurn, registrationWindow } from '@/domain/tournaments/schedule';
import { customFieldDefinition, formatOptions } from '@/domain/tournaments/settings';
import { isVisibleOutside } from '@/domain/tournaments/visibility';
import { Prisma } from '@/generated/prisma/client';
import type { ParticipantModel, TournamentGetPayload } from '@/generated/prisma/models';
import type { AuthUser } from '@/server/auth/bearer';
import { db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import type { EventPayload } from '@/server/events/catalog/catalog';
import { emit, type NewEvent, type Origin } from '@/server/events/emit';
import { inngest } from '@/server/jobs/client';
import { tournamentScheduled } from '@/server/jobs/events';
import { logger } from '@/server/logger';
import { roleIn } from '@/server/routers/projects/data';
import { mediaUrl } from '@/server/storage/media';
import { registrationChange } from './rules';
import type { TournamentDetail, TournamentSummary } from './schema';

export const summarySelect = {
  id: true,
  slug: true,
  projectId: true,
  project: { select: { id: true, slug: true, name: true } },
  name: true,
  gameId: true,
  game: { select: { name: true } },
  format: true,
  teamSize: true,
  maxParticipants: true,
  currentParticipants: true,
  status: true,
  visibility: true,
  startDate: true,
  timezone: true,
  registrationOpensAt: true,
  registrationClosesAt: true,
  checkInOpensAt: true,
  checkInClosesAt: true,
  requiresApproval: true,
  waitlistEnabled: true,
  entryFee: true,
  prizePool: true,
  bannerId: true,
  publishedAt: true,
  startedAt: true,
  completedAt: true,
  cancelledAt: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const satisfies Prisma.TournamentSelect;

export const detailSelect = {
  ...summarySelect,
  description: true,
  rules: true,
  rosterMin: true,
  rosterMax: true,
  rosterLockAt: true,
  allowCancel: true,
  allowEdit: true,
  requiresAntiCheat: true,
  customFields: true,
  customFieldsVersion: true,
  formatOptions: true,
  autoStart: true,
  noShowGraceMinutes: true,
  resultMode: true,
  autoConfirmMinutes: true,
  registrationAnnounced: true,
} as const satisfies Prisma.TournamentSelect;

export type SummaryRow = TournamentGetPayload<{ select: typeof summarySelect }>;
export type DetailRow = TournamentGetPayload<{ select: typeof detailSelect }>;

const iso = (date: Date | null) => date?.toISOString() ?? null;

/** A row as lists show it. */
export function toSummary(row: SummaryRow, now = new Date()): TournamentSummary {
  return {
    id: row.id,
    slug: row.slug,
    projectId: row.projectId,
    project: row.project,
    name: row.name,
    game: row.gameId,
    gameName: row.game.name,
    format: row.format,
    teamSize: row.teamSize,
    maxParticipants: row.maxParticipants,
    currentParticipants: row.currentParticipants,
    status: row.status,
    visibility: row.visibility,
    startDate: row.startDate.toISOString(),
    timezone: row.timezone,
    registrationOpensAt: iso(row.registrationOpensAt),
    registrationClosesAt: iso(row.registrationClosesAt),
    checkInOpensAt: iso(row.checkInOpensAt),
    checkInClosesAt: iso(row.checkInClosesAt),
    registrationOpen: isRegistrationOpen(row, now.getTime()),
    checkInOpen: isCheckInOpen(row, now.getTime()),
    requiresApproval: row.requiresApproval,
    waitlistEnabled: row.waitlistEnabled,
    entryFee: row.entryFee as TournamentSummary['entryFee'],
    prizePool: row.prizePool as TournamentSummary['prizePool'],
    bannerUrl: row.bannerId && mediaUrl(row.bannerId),
    publishedAt: iso(row.publishedAt),
    startedAt: iso(row.startedAt),
    completedAt: iso(row.completedAt),
    cancelledAt: iso(row.cancelledAt),
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    serverTime: now.toISOString(),
  };
}

/** A row with everything an organizer set. */
function toDetail(
  row: DetailRow,
  extra: { waitlistedParticipants: number; canManage: boolean },
  now = new Date(),
): TournamentDetail {
  return {
    ...toSummary(row, now),
    description: row.description,
    rules: row.rules,
    rosterMin: row.rosterMin,
    rosterMax: row.rosterMax,
    rosterLockAt: iso(row.rosterLockAt),
    allowCancel: row.allowCancel,
    allowEdit: row.allowEdit,
    requiresAntiCheat: row.requiresAntiCheat,
    customFields: customFieldDefinition.array().parse(row.customFields),
    customFieldsVersion: row.customFieldsVersion,
    formatOptions: formatOptions.parse(row.formatOptions),
    autoStart: row.autoStart,
    noShowGraceMinutes: row.noShowGraceMinutes,
    resultMode: row.resultMode,
    autoConfirmMinutes: row.autoConfirmMinutes,
    ...extra,
  };
}

/** Reads one tournament in full, waitlist counted. */
export async function readDetail(tx: Tx, id: string, canManage: boolean): Promise<TournamentDetail> {
  const [row, waitlistedParticipants] = await Promise.all([
    tx.tournament.findUniqueOrThrow({ where: { id }, select: detailSelect }),
    tx.participant.count({ where: { tournamentId: id, registrationStatus: 'waitlisted' } }),
  ]);
  return toDetail(row, { waitlistedParticipants, canManage });
}

/** Ids have an underscore and slugs have none. */
export function tournamentKey(idOrSlug: string): { id: string } | { slug: string } {
  return idOrSlug.startsWith('trn_') ? { id: idOrSlug } : { slug: idOrSlug };
}

/** The refusal for a tournament that is hidden or does not exist: callers cannot tell which. */
export function noSuchTournament() {
  return refuse('NOT_FOUND', { message: 'There is no such tournament.' });
}

/**
 * The tournament with that id or slug, if the caller may see it, and their role in its project.
 * @throws NOT_FOUND for others' drafts and private tournaments as for missing ones
 */
export async function findVisible(idOrSlug: string, user: AuthUser | null) {
  const row = await db.tournament.findUnique({
    where: tournamentKey(idOrSlug),
    select: { id: true, projectId: true, publishedAt: true, visibility: true, status: true, teamSize: true },
  });
  if (!row) throw noSuchTournament();
  const role = user && (await roleIn(db, row.projectId, user.id));
  if (!role && !isVisibleOutside(row)) throw noSuchTournament();
  return { ...row, role, canManage: can(role, 'participants:read') };
}

/**
 * Locks a tournament's row until the transaction ends, and reads it. Every change to a tournament or its participants
 * starts here, so that they happen one at a time.
 * @param key id or slug
 * @param select the columns to read
 * @returns the row and the database's clock (one clock for all processes); null when there is no such tournament
 */
export async function findLocked<Select extends Prisma.TournamentSelect>(tx: Tx, key: string, select: Select) {
  const where = tournamentKey(key);
  const matches = 'id' in where ? Prisma.sql`"id" = ${where.id}` : Prisma.sql`"slug" = ${where.slug}`;
  const [locked] = await tx.$queryRaw<{ id: string; now: Date }[]>`
    SELECT "id", clock_timestamp() AS now FROM "tournament" WHERE ${matches} FOR UPDATE`;
  if (!locked) return null;
  const row = await tx.tournament.findUniqueOrThrow({ where: { id: locked.id }, select });
  return { row, now: locked.now };
}

/**
 * `findLocked` for a tournament that has to exist.
 * @throws NOT_FOUND
 */
export async function lockTournament<Select extends Prisma.TournamentSelect>(tx: Tx, key: string, select: Select) {
  const locked = await findLocked(tx, key, select);
  if (!locked) throw noSuchTournament();
  return locked;
}

type EventRow = Pick<
  DetailRow,
  | 'id'
  | 'projectId'
  | 'slug'
  | 'name'
  | 'status'
  | 'gameId'
  | 'format'
  | 'startDate'
  | 'maxParticipants'
  | 'currentParticipants'
>;

function tournamentPayload(row: EventRow) {
  return {
    tournamentId: row.id,
    slug: row.slug,
    name: row.name,
    status: row.status,
    game: row.gameId,
    format: row.format,
    startDate: row.startDate.toISOString(),
    maxParticipants: row.maxParticipants,
    currentParticipants: row.currentParticipants,
  };
}

/** An event about a tournament's life. */
export function tournamentEvent(
  type: `tournament.${'created' | 'published' | 'started' | 'completed' | 'cancelled'}`,
  row: EventRow,
): NewEvent {
  return { type, projectId: row.projectId, aggregateId: row.id, payload: tournamentPayload(row) };
}

/** `tournament.updated` with the names of the fields that changed. */
export function updatedEvent(row: EventRow, changes: string[]): NewEvent {
  const payload = { ...tournamentPayload(row), changes };
  return { type: 'tournament.updated', projectId: row.projectId, aggregateId: row.id, payload };
}

type RegistrationRow = Pick<
  DetailRow,
  | 'id'
  | 'projectId'
  | 'slug'
  | 'name'
  | 'maxParticipants'
  | 'currentParticipants'
  | 'registrationOpensAt'
  | 'registrationClosesAt'
>;

/** An event about registration as such. */
export function registrationEvent(
  type: 'registration.opened' | 'registration.closed' | 'registration.full',
  row: RegistrationRow,
): NewEvent {
  return {
    type,
    projectId: row.projectId,
    aggregateId: row.id,
    payload: {
      tournamentId: row.id,
      slug: row.slug,
      name: row.name,
      maxParticipants: row.maxParticipants,
      currentParticipants: row.currentParticipants,
      opensAt: iso(row.registrationOpensAt),
      closesAt: iso(row.registrationClosesAt),
    },
  };
}

/**
 * Says that registration opened or closed, if that is so and was not said. The caller holds the row's lock and emits
 * what this returns.
 */
export async function recordRegistrationChange(tx: Tx, row: DetailRow, now = new Date()): Promise<NewEvent[]> {
  const due = registrationChange(row, row.registrationAnnounced, now.getTime());
  if (!due) return [];
  await tx.tournament.update({ where: { id: row.id }, data: { registrationAnnounced: due }, select: { id: true } });
  return [registrationEvent(`registration.${due}`, row)];
}

/** Published tournaments whose registration opened or closed without anyone having said so; at most `limit` ids. */
export async function findRegistrationChanges(limit: number): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    SELECT t."id" FROM "tournament" t
    WHERE t."status" = 'PUBLISHED' AND (t."registrationAnnounced" = 'opened') IS DISTINCT FROM
      (GREATEST(t."registrationOpensAt", t."publishedAt") <= now() AND now() < LEAST(t."registrationClosesAt", t."startDate"))
    LIMIT ${limit}`;
  return rows.map(({ id }) => id);
}

/**
 * Announces what is due of one tournament. Any process may run it at any time: the row's lock decides.
 * @returns when (ISO 8601) its registration opens or closes next; null when it will not, or the tournament is gone
 */
export async function publishRegistrationChange(id: string, origin: Origin): Promise<string | null> {
  return db.$transaction(async (tx) => {
    const locked = await findLocked(tx, id, detailSelect);
    if (locked?.row.status !== 'PUBLISHED') return null;
    const events = await recordRegistrationChange(tx, locked.row, locked.now);
    if (events.length > 0) await emit(tx, origin, ...events);
    const next = nextTurn(registrationWindow(locked.row), locked.now.getTime());
    return next === null ? null : new Date(next).toISOString();
  });
}

/**
 * Wakes the tournament's schedule function, which sleeps until its next moment. Called after the commit; if it fails,
 * the sweep still announces, up to a minute late.
 */
export async function triggerSchedule(row: { id: string; projectId: string; version: number }): Promise<void> {
  try {
    const data = { tournamentId: row.id, projectId: row.projectId };
    await inngest.send(tournamentScheduled.create(data, { id: `schedule:${row.id}:${row.version}` }));
  } catch (error) {
    logger.warn({ err: error, tournamentId: row.id }, 'the schedule function could not be woken');
  }
}

export type ParticipantEventRow = Pick<
  ParticipantModel,
  'id' | 'tournamentId' | 'userId' | 'name' | 'type' | 'registrationStatus' | 'status' | 'seed'
>;

type Told = Extract<NewEvent, { type: `participant.${string}` }>;
type Common = EventPayload<'participant.registered'>;

/** An event about an entrant, who stood as `previous` before. `more` is what the type carries beyond what all of them do. */
export function participantEvent<Type extends Told['type']>(
  type: Type,
  projectId: string,
  row: ParticipantEventRow,
  previous: Common['previous'],
  ...more: keyof EventPayload<Type> extends keyof Common ? [] : [Omit<EventPayload<Type>, keyof Common>]
): NewEvent {
  const { id, tournamentId, userId, name, registrationStatus, status, seed } = row;
  const common: Common = {
    ...{ tournamentId, participantId: id, userId, name, type: row.type, registrationStatus, status, seed },
    // Named one by one: a row may be given, and nothing else of it may go out.
    previous: previous && { registrationStatus: previous.registrationStatus, status: previous.status },
  };
  return { type, projectId, aggregateId: id, payload: { ...common, ...more[0] } } as unknown as Told;
}

/**
 * Gives free slots to whoever waits longest, in order: at most `most` of them, and none to those `except`. The caller
 * holds the row's lock, passes it as it is now, and emits what this returns.
 */
export async function promoteFromWaitlist(
  tx: Tx,
  row: { id: string; projectId: string; maxParticipants: number; currentParticipants: number },
  { most = Number.POSITIVE_INFINITY, except = [] }: { most?: number; except?: string[] } = {},
): Promise<{ promoted: number; events: NewEvent[] }> {
  const free = Math.min(most, row.maxParticipants - row.currentParticipants);
  if (free <= 0) return { promoted: 0, events: [] };
  const entrants = await tx.$queryRaw<(ParticipantEventRow & { place: bigint })[]>`
    UPDATE "participant" p
    SET "registrationStatus" = 'approved', "waitlistOrder" = NULL, "approvedAt" = clock_timestamp(),
        "updatedAt" = clock_timestamp(), "version" = p."version" + 1
    FROM (
      SELECT "id", "waitlistOrder" AS place FROM "participant"
      WHERE "tournamentId" = ${row.id} AND "registrationStatus" = 'waitlisted' AND "id" <> ALL(${except}::text[])
      ORDER BY "waitlistOrder" LIMIT ${free}
    ) next
    WHERE p."id" = next."id"
    RETURNING p."id", p."tournamentId", p."userId", p."name", p."type", p."registrationStatus", p."status", p."seed", next.place`;
  if (entrants.length === 0) return { promoted: 0, events: [] };
  await tx.tournament.update({
    where: { id: row.id },
    data: { currentParticipants: { increment: entrants.length } },
    select: { id: true },
  });
  entrants.sort((a, b) => Number(a.place - b.place));
  const previous = { registrationStatus: 'waitlisted', status: 'registered' } as const;
  const events = entrants.map((entrant) => participantEvent('participant.approved', row.projectId, entrant, previous));
  return { promoted: entrants.length, events };
}
