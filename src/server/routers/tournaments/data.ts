import { can } from '@/domain/projects/permissions';
import { isCheckInOpen, isRegistrationOpen } from '@/domain/tournaments/schedule';
import { type CustomFieldDefinition, formatOptions } from '@/domain/tournaments/settings';
import { isVisibleOutside } from '@/domain/tournaments/visibility';
import { Prisma } from '@/generated/prisma/client';
import type { TournamentGetPayload } from '@/generated/prisma/models';
import type { AuthUser } from '@/server/auth/bearer';
import { columnsOf, db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { ViewerChecks } from '@/server/events/viewer-checks';
import { mediaUrl } from '@/server/storage/media';
import { readQuestions } from './questions/data-kept';
import type { TournamentDetail, TournamentSummary } from './schema';

const summaryColumns = {
  id: true,
  slug: true,
  projectId: true,
  name: true,
  gameId: true,
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

/** What callers read of the rows that a tournament belongs to. */
const relations = {
  project: { select: { id: true, slug: true, name: true } },
  game: { select: { name: true } },
} as const satisfies Prisma.TournamentSelect;

export const summarySelect = { ...summaryColumns, ...relations } as const;

/** Every setting of a tournament: what changes of it read and write. */
export const settingsSelect = {
  ...summaryColumns,
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

const detailSelect = {
  ...settingsSelect,
  ...relations,
  _count: { select: { participants: { where: { registrationStatus: 'waitlisted' } } } },
} as const satisfies Prisma.TournamentSelect;

export type SummaryRow = TournamentGetPayload<{ select: typeof summarySelect }>;
export type SettingsRow = TournamentGetPayload<{ select: typeof settingsSelect }>;
type DetailRow = TournamentGetPayload<{ select: typeof detailSelect }>;

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
function toDetail(row: DetailRow, customFields: CustomFieldDefinition[], canManage: boolean): TournamentDetail {
  return {
    ...toSummary(row),
    description: row.description,
    rules: row.rules,
    rosterMin: row.rosterMin,
    rosterMax: row.rosterMax,
    rosterLockAt: iso(row.rosterLockAt),
    allowCancel: row.allowCancel,
    allowEdit: row.allowEdit,
    requiresAntiCheat: row.requiresAntiCheat,
    customFields,
    customFieldsVersion: row.customFieldsVersion,
    formatOptions: formatOptions.parse(row.formatOptions),
    autoStart: row.autoStart,
    noShowGraceMinutes: row.noShowGraceMinutes,
    resultMode: row.resultMode,
    autoConfirmMinutes: row.autoConfirmMinutes,
    waitlistedParticipants: row._count.participants,
    canManage,
  };
}

/**
 * Reads one tournament with all of its settings and the length of its waitlist. Not in a transaction that changes its questions:
 * those of a version are kept.
 */
export async function readDetail(tx: Tx, id: string, canManage: boolean): Promise<TournamentDetail> {
  const row = await tx.tournament.findUniqueOrThrow({ where: { id }, select: detailSelect });
  return toDetail(row, await readQuestions(row), canManage);
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

/** Whether public lists show the tournament `t`, as SQL; spelled as in the partial indexes. */
export const publiclyListed = Prisma.sql`t."visibility" = 'public' AND t."publishedAt" IS NOT NULL`;

/** Whether a user has confirmed their address, as SQL. Staff name players by address, and anybody can sign up with one. */
export function isConfirmed(userId: string | null | Prisma.Sql): Prisma.Sql {
  return Prisma.sql`EXISTS (SELECT FROM "user" u WHERE u."id" = ${userId} AND u."emailVerifiedAt" IS NOT NULL)`;
}

/**
 * Whether a user has a registration that was neither cancelled nor rejected in the tournament `t`, as SQL. One by staff counts
 * for an account whose address is confirmed.
 */
export function hasRegistration(userId: string | null | Prisma.Sql): Prisma.Sql {
  const counts = Prisma.sql`own."registrationStatus" NOT IN ('cancelled', 'rejected')`;
  // Both by the user's own rows: of a large tournament, an outsider would have every participant read.
  return Prisma.sql`(EXISTS (
    SELECT FROM "participant" own WHERE own."tournamentId" = t."id" AND own."userId" = ${userId} AND ${counts}
      AND (own."acceptedAt" IS NOT NULL OR ${isConfirmed(userId)})
  ) OR EXISTS (
    SELECT FROM "roster_member" r JOIN "participant" own ON own."id" = r."participantId"
    WHERE r."tournamentId" = t."id" AND r."userId" = ${userId} AND ${counts}
      AND (r."acceptedAt" IS NOT NULL OR NOT r."addedByStaff" OR ${isConfirmed(userId)})
  ))`;
}

/**
 * Whether a user may see the tournament `t`, as SQL: everyone sees what `isVisibleOutside`, players see the private ones that
 * they are registered in, and members all of their project.
 */
export function isVisibleTo(userId: string | null | Prisma.Sql): Prisma.Sql {
  return Prisma.sql`((t."publishedAt" IS NOT NULL AND (t."visibility" <> 'private' OR ${hasRegistration(userId)}))
    OR EXISTS (SELECT FROM "member" own WHERE own."projectId" = t."projectId" AND own."userId" = ${userId}))`;
}

/** Whether viewers may still see tournaments that outsiders do not see. */
export const stillAdmitted = new ViewerChecks(
  (viewers) => Prisma.sql`
    SELECT a."place" FROM ${viewers} JOIN "tournament" t ON t."id" = a."tournamentId"
    WHERE ${isVisibleTo(Prisma.sql`a."userId"`)}`,
);

async function isVisible(tournamentId: string, userId: string): Promise<boolean> {
  const [row] = await db.$queryRaw<{ visible: boolean }[]>`
    SELECT ${isVisibleTo(userId)} AS visible FROM "tournament" t WHERE t."id" = ${tournamentId}`;
  return row?.visible === true;
}

/**
 * The tournament with that id or slug, if the caller may see it, and the caller's role in its project.
 * @throws NOT_FOUND when it is missing, or a draft or private tournament of a project and of players that the caller
 *   does not belong to
 */
export async function findVisible(idOrSlug: string, user: AuthUser | null) {
  const found = await db.tournament.findUnique({
    where: tournamentKey(idOrSlug),
    select: {
      id: true,
      slug: true,
      projectId: true,
      publishedAt: true,
      visibility: true,
      status: true,
      teamSize: true,
      project: { select: { members: { where: { userId: user?.id ?? '' }, select: { role: true } } } },
    },
  });
  if (!found) throw noSuchTournament();
  const { project, ...row } = found;
  const role = project.members[0]?.role ?? null;
  if (!role && !isVisibleOutside(row) && !(user && (await isVisible(row.id, user.id)))) throw noSuchTournament();
  return { ...row, role, canManage: can(role, 'participants:read') };
}

/**
 * Locks a tournament's row until the transaction ends, and reads it by the same statement. Every change to a tournament or
 * its participants starts here, so that they happen one at a time.
 * @param key id or slug
 * @param select the columns to read. No relations: a statement that waited for the row would find them as they were before
 * @returns the row and the database's clock (one clock for all processes); null when there is no such tournament
 */
export async function findLocked<Select extends Prisma.TournamentSelectScalar>(
  tx: Tx,
  key: string,
  select: Select,
): Promise<{ row: TournamentGetPayload<{ select: Select }>; now: Date } | null> {
  type Row = TournamentGetPayload<{ select: Select }> & { now: Date };
  const [found] = await tx.$queryRaw<Row[]>`
    SELECT ${columnsOf('t', select)}, clock_timestamp() AS now FROM "tournament" t WHERE ${isTournament(key)} FOR UPDATE`;
  if (!found) return null;
  const { now, ...row } = found;
  return { row: row as unknown as TournamentGetPayload<{ select: Select }>, now };
}

/**
 * `findLocked` for a tournament that has to exist.
 * @throws NOT_FOUND
 */
export async function lockTournament<Select extends Prisma.TournamentSelectScalar>(
  tx: Tx,
  key: string,
  select: Select,
) {
  const locked = await findLocked(tx, key, select);
  if (!locked) throw noSuchTournament();
  return locked;
}
