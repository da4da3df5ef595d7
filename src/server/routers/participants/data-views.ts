import type { Answers } from '@/domain/questions/answers';
import { day } from '@/domain/time/durations';
import type { Prisma } from '@/generated/prisma/client';
import type { ProjectRole } from '@/generated/prisma/enums';
import type { ParticipantGetPayload } from '@/generated/prisma/models';
import type { Tx } from '@/server/db';
import type { PublicQuestions } from '@/server/routers/tournaments/questions/data';
import { type ParticipantRow, participantSelect, rosterName, type TournamentFacts } from './data';
import { decide, type Facts, possibleActions, type RestorableState, type Trigger } from './rules';
import type { ListedParticipant, ManagedParticipant, Registration } from './schema';

/** The players who were named and have not accepted yet. */
function notAccepted(row: ParticipantRow): string[] {
  const registrant = row.userId !== null && !row.acceptedAt ? [row.userId] : [];
  const players = row.roster.flatMap(({ userId, acceptedAt }) => (userId !== null && !acceptedAt ? [userId] : []));
  return [...new Set([...registrant, ...players])];
}

/** Whether a user was named by someone else and has not accepted, and by whom. */
export function invitationOf(row: ParticipantRow, userId: string): { mustAccept: boolean; addedById: string | null } {
  const member = row.roster.find((one) => one.userId === userId);
  const mustAccept = row.userId === userId ? !row.acceptedAt : member !== undefined && !member.acceptedAt;
  return { mustAccept, addedById: mustAccept ? (member?.addedById ?? row.decidedById) : null };
}

/** Nobody can be expected to notice within less than a day that somebody else put them on a roster. */
const timeToNoticeMs = day;

/**
 * Whether a player of the captain's team, or one whom staff put there, came onto the roster too late to leave it before it was locked:
 * by being in a team they have agreed to play with it, and never to a tournament that they could not leave any more.
 */
function wasAddedLate({ roster }: ParticipantRow, userId: string, { rosterLockAt }: TournamentFacts): boolean {
  const member = roster.find((one) => one.userId === userId);
  if (!member?.acceptedAt || member.addedById === null || rosterLockAt === null) return false;
  return rosterLockAt.getTime() - member.acceptedAt.getTime() < timeToNoticeMs;
}

/** Whether a user may leave an active registration that they are part of; who has accepted it as its captain cancels it instead. */
export function mayLeave(row: ParticipantRow, userId: string, facts: TournamentFacts): boolean {
  if (invitationOf(row, userId).mustAccept) return true;
  if (row.userId === userId || !facts.beforeStart) return false;
  return !facts.rosterLocked || wasAddedLate(row, userId, facts);
}

/** The names of the people who named a user on participants that the user has not accepted, by their ids. */
export async function readAdders(tx: Tx, rows: ParticipantRow[], userId: string): Promise<Map<string, string>> {
  const ids = rows.flatMap((row) => invitationOf(row, userId).addedById ?? []);
  if (ids.length === 0) return new Map();
  const people = await tx.user.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  return new Map(people.map(({ id, name }) => [id, name]));
}

/** A participant with everything that its managers see. */
export const managedSelect = {
  ...participantSelect,
  standingBefore: true,
  user: { select: { email: true } },
} as const satisfies Prisma.ParticipantSelect;
export type ManagedRow = ParticipantGetPayload<{ select: typeof managedSelect }>;

const iso = (date: Date | null) => date?.toISOString() ?? null;

function roster(row: ParticipantRow) {
  return row.roster.map((member) => ({ userId: member.userId, name: rosterName(member), role: member.role }));
}

/** A participant as everyone may see it. Fields are listed one by one, so that a new column stays private. */
export function toPublic(row: ParticipantRow): ListedParticipant {
  const { id, tournamentId, userId, type, name, seed, status, registrationStatus, teamId } = row;
  return { id, tournamentId, userId, type, name, seed, status, registrationStatus, roster: roster(row), teamId };
}

/** The answers that everyone sees; nothing when the tournament has no public question. */
export function publicAnswersOf(
  row: Pick<ParticipantRow, 'customFields' | 'customFieldsVersion'>,
  shown: PublicQuestions,
): { publicAnswers?: Answers } {
  if (shown.size === 0) return {};
  const keys = shown.get(row.customFieldsVersion);
  const answers = Object.entries(row.customFields as Answers).filter(([key]) => keys?.has(key));
  return { publicAnswers: Object.fromEntries(answers) };
}

/** Whether a user is the participant or on its roster. */
export function isOf(row: { userId: string | null; roster: { userId: string | null }[] }, userId: string): boolean {
  return row.userId === userId || row.roster.some((member) => member.userId === userId);
}

/** A participant as someone who manages the tournament sees it, with what they may do to it now. */
export function toManaged(
  row: ManagedRow,
  viewer: { userId: string; role: ProjectRole | null; facts: Facts; place: number | null },
): ManagedParticipant {
  const before = row.standingBefore as RestorableState | null;
  return {
    canManage: true,
    isMe: isOf(row, viewer.userId),
    customFields: row.customFields as Answers,
    customFieldsVersion: row.customFieldsVersion,
    contact: row.user && row.acceptedAt ? { email: row.user.email } : null,
    notAccepted: notAccepted(row),
    statusReason: row.statusReason,
    waitlistPosition: viewer.place,
    registeredAt: row.registeredAt.toISOString(),
    approvedAt: iso(row.approvedAt),
    checkedInAt: iso(row.checkedInAt),
    cancelledAt: iso(row.cancelledAt),
    actions: possibleActions(viewer.role, { ...row, before }, viewer.facts),
    version: row.version,
    // At the end: after a spread, every further property costs Node 20 a microsecond.
    ...toPublic(row),
  };
}

/**
 * A registration as the player or someone on its roster sees it.
 * @param viewer.adders from `readAdders`, unless the viewer cannot have been named by someone else
 */
export function toRegistration(
  row: ParticipantRow,
  viewer: { userId: string; place: number | null; facts: TournamentFacts; adders?: ReadonlyMap<string, string> },
  now: Date,
): Registration {
  const { userId, place, facts, adders } = viewer;
  const { mustAccept, addedById } = invitationOf(row, userId);
  const adder = addedById === null ? undefined : adders?.get(addedById);
  const isCaptain = row.userId === userId;
  const may = (trigger: Trigger, given = facts) => !decide(trigger, row, given).denial;
  return {
    customFields: row.customFields as Answers,
    customFieldsVersion: row.customFieldsVersion,
    statusReason: row.statusReason,
    waitlistPosition: place,
    isCaptain,
    mustAccept,
    addedBy: addedById === null || adder === undefined ? null : { id: addedById, name: adder },
    notAccepted: notAccepted(row),
    canCancel: isCaptain && may('cancel'),
    canEdit: isCaptain && may('edit'),
    canEditRoster: isCaptain && may('edit_roster'),
    canLeave: row.registrationStatus !== 'cancelled' && mayLeave(row, userId, facts),
    canCheckIn: may('check_in_self', { ...facts, antiCheatMissing: false }),
    registeredAt: row.registeredAt.toISOString(),
    approvedAt: iso(row.approvedAt),
    checkedInAt: iso(row.checkedInAt),
    cancelledAt: iso(row.cancelledAt),
    version: row.version,
    serverTime: now.toISOString(),
    ...toPublic(row),
  };
}
