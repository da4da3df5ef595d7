import { can } from '@/domain/projects/permissions';
import { isCheckInOpen, isRegistrationOpen } from '@/domain/tournaments/schedule';
import { customFieldDefinition, formatOptions } from '@/domain/tournaments/settings';
import { isVisibleOutside } from '@/domain/tournaments/visibility';
import { Prisma } from '@/generated/prisma/client';
import type { TournamentGetPayload } from '@/generated/prisma/models';
import type { AuthUser } from '@/server/auth/bearer';
import { db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { roleIn } from '@/server/routers/projects/data';
import { mediaUrl } from '@/server/storage/media';
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

/** A tournament as lists show it. */
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

/** A tournament with all of its settings. */
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

/** Reads one tournament with all of its settings and the length of its waitlist. */
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

/** `tournamentKey` as a condition on the table `t`. */
export function isTournament(idOrSlug: string): Prisma.Sql {
  const key = tournamentKey(idOrSlug);
  return 'id' in key ? Prisma.sql`t."id" = ${key.id}` : Prisma.sql`t."slug" = ${key.slug}`;
}

/** The refusal for a tournament that is hidden or does not exist: callers cannot tell which. */
export function noSuchTournament() {
  return refuse('NOT_FOUND', { message: 'There is no such tournament.' });
}

/** Whether a user has a registration that was neither cancelled nor rejected in the tournament `t`, as SQL. */
export function hasRegistration(userId: string | null): Prisma.Sql {
  return Prisma.sql`EXISTS (
    SELECT FROM "participant" own WHERE own."tournamentId" = t."id"
      AND own."registrationStatus" NOT IN ('cancelled', 'rejected')
      AND (own."userId" = ${userId} OR EXISTS (
        SELECT FROM "roster_member" r WHERE r."participantId" = own."id" AND r."userId" = ${userId})))`;
}

/** Whether somebody may see a private tournament because they are registered in it. */
async function isRegistered({ id, publishedAt }: { id: string; publishedAt: Date | null }, userId: string) {
  if (publishedAt === null) return false;
  const [row] = await db.$queryRaw<{ found: boolean }[]>`
    SELECT ${hasRegistration(userId)} AS found FROM "tournament" t WHERE t."id" = ${id}`;
  return row?.found === true;
}

/**
 * The tournament with that id or slug, if the caller may see it, and the caller's role in its project.
 * @throws NOT_FOUND when it is missing, or a draft or private tournament of a project and of players that the caller
 *   does not belong to
 */
export async function findVisible(idOrSlug: string, user: AuthUser | null) {
  const row = await db.tournament.findUnique({
    where: tournamentKey(idOrSlug),
    select: {
      id: true,
      slug: true,
      projectId: true,
      publishedAt: true,
      visibility: true,
      status: true,
      teamSize: true,
    },
  });
  if (!row) throw noSuchTournament();
  const role = user && (await roleIn(db, row.projectId, user.id));
  if (!role && !isVisibleOutside(row) && !(user && (await isRegistered(row, user.id)))) throw noSuchTournament();
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
  const [locked] = await tx.$queryRaw<{ id: string; now: Date }[]>`
    SELECT t."id", clock_timestamp() AS now FROM "tournament" t WHERE ${isTournament(key)} FOR UPDATE`;
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
