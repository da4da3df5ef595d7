import { checkInEnd } from '@/domain/participants/check-in';
import type { ParticipantState } from '@/domain/participants/statuses';
import { activeRegistrationStatuses } from '@/domain/participants/statuses';
import { checkInWindow, isCheckInOpen, isRegistrationOpen, phaseOf } from '@/domain/tournaments/schedule';
import { type CustomFieldDefinition, customFieldDefinition } from '@/domain/tournaments/settings';
import { Prisma } from '@/generated/prisma/client';
import type { ParticipantGetPayload, TournamentGetPayload } from '@/generated/prisma/models';
import { anyOf, db, rowsOf, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { lockTournament } from '@/server/routers/tournaments/data';
import type { Decision, Facts } from './rules';

/** The columns of a tournament that decisions about its participants read. */
export const tournamentContextSelect = {
  id: true,
  projectId: true,
  gameId: true,
  slug: true,
  name: true,
  status: true,
  visibility: true,
  version: true,
  startDate: true,
  publishedAt: true,
  registrationOpensAt: true,
  registrationClosesAt: true,
  checkInOpensAt: true,
  checkInClosesAt: true,
  maxParticipants: true,
  currentParticipants: true,
  teamSize: true,
  rosterMin: true,
  rosterMax: true,
  requiresApproval: true,
  waitlistEnabled: true,
  allowCancel: true,
  allowEdit: true,
  rosterLockAt: true,
  requiresAntiCheat: true,
  customFields: true,
  customFieldsVersion: true,
} as const satisfies Prisma.TournamentSelect;
export type TournamentContext = TournamentGetPayload<{ select: typeof tournamentContextSelect }>;

/** What the rules know of a tournament, and who may leave a roster depends on. */
export type TournamentFacts = Facts & Pick<TournamentContext, 'rosterLockAt'>;

/** What the rules know of a tournament at a moment. */
export function factsOf(tournament: Omit<TournamentContext, 'customFields'>, now: Date): TournamentFacts {
  return {
    beforeStart: tournament.status === 'DRAFT' || tournament.status === 'PUBLISHED',
    running: tournament.status === 'IN_PROGRESS',
    completed: tournament.status === 'COMPLETED',
    registrationOpen: isRegistrationOpen(tournament, now.getTime()),
    checkInOpen: isCheckInOpen(tournament, now.getTime()),
    // A tournament without check-in has nothing to miss.
    checkInOver: tournament.checkInOpensAt !== null && phaseOf(checkInWindow(tournament), now.getTime()) === 'after',
    checkInEnd: checkInEnd(tournament),
    full: tournament.currentParticipants >= tournament.maxParticipants,
    requiresApproval: tournament.requiresApproval,
    waitlistEnabled: tournament.waitlistEnabled,
    allowCancel: tournament.allowCancel,
    allowEdit: tournament.allowEdit,
    teams: tournament.teamSize > 1,
    rosterLocked: tournament.rosterLockAt !== null && tournament.rosterLockAt <= now,
    rosterLockAt: tournament.rosterLockAt,
    // `check_in_self` looks for the player's client and overrides this.
    antiCheatMissing: tournament.requiresAntiCheat,
  };
}

/** Reads a tournament without a lock. The caller has checked that it may be seen. */
export function readTournamentContext(id: string): Promise<TournamentContext> {
  return db.tournament.findUniqueOrThrow({ where: { id }, select: tournamentContextSelect });
}

/** A tournament whose row is locked until the transaction ends. */
export type LockedTournament = {
  tournament: TournamentContext;
  facts: TournamentFacts;
  /** The database's clock. */
  now: Date;
};

/**
 * Locks a tournament to change its participants.
 * @param key id or slug
 * @throws NOT_FOUND
 */
export async function lockForParticipants(tx: Tx, key: string): Promise<LockedTournament> {
  const { row: tournament, now } = await lockTournament(tx, key, tournamentContextSelect);
  return { tournament, facts: factsOf(tournament, now), now };
}

/** @throws the denial of a decision, if it is one */
export function requireAllowed(decision: Decision): { to: ParticipantState; slots: -1 | 0 | 1 } {
  if (decision.denial) throw refuse(decision.denial.reason, { message: decision.denial.message });
  return decision;
}

export const noSuchParticipant = () =>
  refuse('NOT_FOUND', { message: 'There is no such participant in this tournament.' });

/** A player on a roster. */
export const rosterSelect = {
  userId: true,
  name: true,
  role: true,
  acceptedAt: true,
  addedById: true,
  addedByStaff: true,
  user: { select: { name: true } },
} as const satisfies Prisma.RosterMemberSelect;
/** The captain first. `list` and `withRosters` say the same in SQL. */
export const rosterOrder = [
  { role: 'asc' },
  { createdAt: 'asc' },
  { id: 'asc' },
] as const satisfies Prisma.RosterMemberOrderByWithRelationInput[];

/** The name of a player on a roster: the account's, or that of a guest. `list` says the same in SQL. */
export function rosterName({ user, name }: { user: { name: string } | null; name: string | null }): string {
  return user?.name ?? name ?? '';
}

/**
 * Whether a text is part of the name of the participant `p` or of a player on its roster, in any case, as SQL. Each roster and
 * each account is looked up by itself, which `OFFSET 0` holds PostgreSQL to: joined, it would read the names of all accounts there
 * are. `LIKE` would try the whole text again from every character of a name.
 */
export function isNamed(search: string): Prisma.Sql {
  const has = (name: Prisma.Sql) => Prisma.sql`strpos(lower(${name}), lower(${search})) > 0`;
  return Prisma.sql`(${has(Prisma.sql`p."name"`)} OR EXISTS (
    SELECT FROM "roster_member" m WHERE m."participantId" = p."id"
      AND ${has(Prisma.sql`coalesce((SELECT u."name" FROM "user" u WHERE u."id" = m."userId"), m."name")`)} OFFSET 0))`;
}

export const participantSelect = {
  id: true,
  tournamentId: true,
  type: true,
  userId: true,
  name: true,
  teamId: true,
  registrationStatus: true,
  status: true,
  seed: true,
  statusReason: true,
  waitlistOrder: true,
  customFields: true,
  customFieldsVersion: true,
  acceptedAt: true,
  decidedById: true,
  registeredAt: true,
  approvedAt: true,
  checkedInAt: true,
  cancelledAt: true,
  version: true,
  roster: {
    select: rosterSelect,
    orderBy: rosterOrder,
  },
} as const satisfies Prisma.ParticipantSelect;
export type ParticipantRow = ParticipantGetPayload<{ select: typeof participantSelect }>;

type RosterRow = ParticipantRow['roster'][number];
type WrittenRosterRow = Omit<RosterRow, 'acceptedAt'> & { acceptedAt: string | null };

/**
 * Participants with their rosters. PostgreSQL writes the rosters, because to make objects of thousands of players takes Prisma
 * longer than everything else of a page.
 */
export async function withRosters<Row extends { id: string }>(
  tx: Tx,
  rows: Row[],
): Promise<(Row & { roster: RosterRow[] })[]> {
  const written = await rowsOf<{ id: string; roster: WrittenRosterRow[] }>(
    tx,
    Prisma.sql`
      SELECT m."participantId" AS "id", json_agg(json_build_object('userId', m."userId", 'name', m."name", 'role', m."role",
        'acceptedAt', m."acceptedAt", 'addedById', m."addedById", 'addedByStaff', m."addedByStaff",
        'user', CASE WHEN u."id" IS NOT NULL THEN json_build_object('name', u."name") END
      ) ORDER BY m."role", m."createdAt", m."id") AS "roster"
      FROM "roster_member" m LEFT JOIN "user" u ON u."id" = m."userId"
      WHERE m."participantId" = ${anyOf(rows.map(({ id }) => id))} GROUP BY m."participantId"`,
  );
  const byId = new Map(written.map(({ id, roster }) => [id, roster]));
  const read = ({ acceptedAt, ...member }: WrittenRosterRow) => ({
    ...member,
    acceptedAt: acceptedAt === null ? null : new Date(acceptedAt),
  });
  return rows.map((row) => ({ ...row, roster: (byId.get(row.id) ?? []).map(read) }));
}

/**
 * The participant that a user is, or on whose roster they are; null when neither. An active registration comes before
 * one they cancelled themselves.
 */
export async function findOwnParticipant(tx: Tx, tournamentId: string, userId: string): Promise<ParticipantRow | null> {
  const key = { tournamentId_userId: { tournamentId, userId } };
  const own = await tx.participant.findUnique({ where: key, select: participantSelect });
  if (own && own.registrationStatus !== 'cancelled') return own;
  const member = await tx.rosterMember.findUnique({
    where: key,
    select: { participant: { select: participantSelect } },
  });
  return member?.participant ?? own;
}

/** Whether anyone is registered: pending, approved or waitlisted. */
export async function hasActiveRegistrations(tx: Tx, tournamentId: string): Promise<boolean> {
  const row = await tx.participant.findFirst({
    where: { tournamentId, registrationStatus: { in: [...activeRegistrationStatuses] } },
    select: { id: true },
  });
  return row !== null;
}

const definitions = customFieldDefinition.array();

/** The organizer's questions. */
export function questionsOf(tournament: Pick<TournamentContext, 'customFields'>): CustomFieldDefinition[] {
  return definitions.parse(tournament.customFields);
}
