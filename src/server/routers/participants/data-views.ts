import type { Answers } from '@/domain/questions/answers';
import type { Prisma } from '@/generated/prisma/client';
import type { ProjectRole } from '@/generated/prisma/enums';
import type { ParticipantGetPayload } from '@/generated/prisma/models';
import type { PublicQuestions } from '@/server/routers/tournaments/questions/data';
import { type ParticipantRow, participantSelect, rosterName } from './data';
import { decide, type Facts, possibleActions, type RestorableState, type Trigger } from './rules';
import type { ListedParticipant, ManagedParticipant, Registration } from './schema';

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
export function publicAnswersOf(row: ParticipantRow, shown: PublicQuestions): { publicAnswers?: Answers } {
  if (shown.size === 0) return {};
  const keys = shown.get(row.customFieldsVersion);
  const answers = Object.entries(row.customFields as Answers).filter(([key]) => keys?.has(key));
  return { publicAnswers: Object.fromEntries(answers) };
}

/** Whether a user is the participant or on its roster. */
export function isOf(row: ParticipantRow, userId: string): boolean {
  return row.userId === userId || row.roster.some((member) => member.userId === userId);
}

/** A participant as someone who manages the tournament sees it, with what they may do to it now. */
export function toManaged(
  row: ManagedRow,
  viewer: { userId: string; role: ProjectRole | null; facts: Facts; place: number | null },
): ManagedParticipant {
  const before = row.standingBefore as RestorableState | null;
  return {
    ...toPublic(row),
    canManage: true,
    isMe: isOf(row, viewer.userId),
    customFields: row.customFields as Answers,
    customFieldsVersion: row.customFieldsVersion,
    contact: row.user && { email: row.user.email },
    statusReason: row.statusReason,
    waitlistPosition: viewer.place,
    registeredAt: row.registeredAt.toISOString(),
    approvedAt: iso(row.approvedAt),
    checkedInAt: iso(row.checkedInAt),
    cancelledAt: iso(row.cancelledAt),
    actions: possibleActions(viewer.role, { ...row, before }, viewer.facts),
    version: row.version,
  };
}

/** A registration as the player or someone on its roster sees it. */
export function toRegistration(
  row: ParticipantRow,
  viewer: { userId: string; place: number | null; facts: Facts },
  now: Date,
): Registration {
  const { userId, place, facts } = viewer;
  const isCaptain = row.userId === userId;
  const may = (trigger: Trigger, given = facts) => !decide(trigger, row, given).denial;
  return {
    ...toPublic(row),
    customFields: row.customFields as Answers,
    customFieldsVersion: row.customFieldsVersion,
    statusReason: row.statusReason,
    waitlistPosition: place,
    isCaptain,
    canCancel: isCaptain && may('cancel'),
    canEdit: isCaptain && may('edit'),
    canEditRoster: isCaptain && may('edit_roster'),
    canCheckIn: may('check_in_self', { ...facts, antiCheatMissing: false }),
    registeredAt: row.registeredAt.toISOString(),
    approvedAt: iso(row.approvedAt),
    checkedInAt: iso(row.checkedInAt),
    cancelledAt: iso(row.cancelledAt),
    version: row.version,
    serverTime: now.toISOString(),
  };
}
