import type { ParticipantStatus, RegistrationStatus, RosterRole } from '@/generated/prisma/enums';
import type { Issue, Reason } from '@/server/errors';

/** Both states of an entrant; null: no row. */
export type Standing = { registrationStatus: RegistrationStatus; status: ParticipantStatus };

/** What a trigger looks at beside the standing. Each names its own needs. */
export type Facts = {
  /** The tournament is published and has not started. */
  beforeStart: boolean;
  registrationOpen: boolean;
  checkInOpen: boolean;
  /** Every slot is taken. */
  full: boolean;
  requiresApproval: boolean;
  waitlistEnabled: boolean;
  allowCancel: boolean;
  /** An anti-cheat client is required and none is running for the player. */
  antiCheatMissing: boolean;
};

export type Trigger = 'register' | 'cancel' | 'promote' | 'check_in_self' | 'check_in_organizer';

type From = RegistrationStatus | 'none';
type Line = {
  /** Where it is possible from; elsewhere the reason it is refused with. */
  from: Record<From, true | Reason>;
  /** Which `status` an entrant who has a row must have, where that matters, and the reason given for each other one. */
  only?: { statuses: readonly ParticipantStatus[]; otherwise: (status: ParticipantStatus) => Reason };
  /** Asked in order; the first reason wins. */
  guards: readonly ((facts: Facts) => Reason | null)[];
  to: (facts: Facts) => Standing;
  /** Sentences better than the error table's, by reason. */
  says?: Partial<Record<Reason, string>>;
};

const approved: Standing = { registrationStatus: 'approved', status: 'registered' };
const nobody = 'NOT_REGISTERED';

const unless = (holds: (facts: Facts) => boolean, reason: Reason) => (facts: Facts) => (holds(facts) ? null : reason);

const checkIn: Omit<Line, 'guards'> = {
  from: {
    none: nobody,
    approved: true,
    pending: 'NOT_APPROVED',
    waitlisted: 'NOT_APPROVED',
    rejected: 'NOT_APPROVED',
    cancelled: nobody,
  },
  only: {
    statuses: ['registered'],
    otherwise: (status) => (status === 'checked_in' ? 'ALREADY_CHECKED_IN' : 'INVALID_STATE'),
  },
  to: () => ({ registrationStatus: 'approved', status: 'checked_in' }),
  says: { INVALID_STATE: 'Entrants check in before the tournament starts.' },
};

/** Every trigger: from where it is possible, what it needs, where it leads. The one table of an entrant's states. */
const table: Record<Trigger, Line> = {
  register: {
    from: {
      none: true,
      cancelled: true,
      approved: 'ALREADY_REGISTERED',
      pending: 'ALREADY_REGISTERED',
      waitlisted: 'ALREADY_REGISTERED',
      rejected: 'REGISTRATION_REJECTED',
    },
    guards: [
      unless((facts) => facts.registrationOpen, 'REGISTRATION_CLOSED'),
      unless((facts) => !facts.full || facts.waitlistEnabled, 'TOURNAMENT_FULL'),
    ],
    to: (facts) => {
      if (facts.full) return { registrationStatus: 'waitlisted', status: 'registered' };
      return facts.requiresApproval ? { registrationStatus: 'pending', status: 'registered' } : approved;
    },
  },
  cancel: {
    from: { none: nobody, cancelled: nobody, rejected: nobody, approved: true, pending: true, waitlisted: true },
    only: { statuses: ['registered', 'checked_in'], otherwise: () => 'INVALID_STATE' },
    guards: [
      unless((facts) => facts.allowCancel, 'CANCEL_NOT_ALLOWED'),
      unless((facts) => facts.beforeStart, 'INVALID_STATE'),
    ],
    to: () => ({ registrationStatus: 'cancelled', status: 'withdrew' }),
    says: { INVALID_STATE: 'The tournament has started or is over. Only its organizer can take you out now.' },
  },
  promote: {
    from: {
      none: nobody,
      waitlisted: true,
      approved: 'INVALID_STATE',
      pending: 'INVALID_STATE',
      rejected: 'INVALID_STATE',
      cancelled: 'INVALID_STATE',
    },
    guards: [unless((facts) => facts.beforeStart, 'INVALID_STATE'), unless((facts) => !facts.full, 'ROSTER_FULL')],
    to: () => approved,
  },
  check_in_self: {
    ...checkIn,
    guards: [
      unless((facts) => facts.checkInOpen, 'CHECK_IN_CLOSED'),
      unless((facts) => !facts.antiCheatMissing, 'ANTI_CHEAT_NOT_RUNNING'),
    ],
  },
  check_in_organizer: { ...checkIn, guards: [unless((facts) => facts.beforeStart, 'INVALID_STATE')] },
};

/** Whether an entrant of this standing is counted in `currentParticipants`. */
export function holdsSlot(standing: Standing | null): boolean {
  return (
    standing?.registrationStatus === 'approved' && standing.status !== 'withdrew' && standing.status !== 'disqualified'
  );
}

export type Decision = { refused: Reason; message?: string } | { refused?: undefined; to: Standing; slots: -1 | 0 | 1 };

/** What a trigger does to an entrant: the new standing and by how much the slots taken change, or why not. */
export function decide(trigger: Trigger, standing: Standing | null, facts: Facts): Decision {
  const line = table[trigger];
  const possible = line.from[standing?.registrationStatus ?? 'none'];
  const refused = (reason: Reason): Decision => ({ refused: reason, message: line.says?.[reason] });
  if (possible !== true) return refused(possible);
  if (line.only && standing && !line.only.statuses.includes(standing.status)) {
    return refused(line.only.otherwise(standing.status));
  }
  for (const guard of line.guards) {
    const reason = guard(facts);
    if (reason) return refused(reason);
  }
  const to = line.to(facts);
  return { to, slots: (Number(holdsSlot(to)) - Number(holdsSlot(standing))) as -1 | 0 | 1 };
}

export type RosterInput = { userId: string; role: RosterRole }[];

/** What is wrong with a team as it was sent; empty when nothing is. The captain is who registers. */
export function rosterIssues(
  team: { teamName?: string; teamMembers?: RosterInput },
  sizes: { rosterMin: number; rosterMax: number },
  captainId: string,
): Issue[] {
  const issues: Issue[] = [];
  const { teamName, teamMembers: members } = team;
  if (!teamName) issues.push({ path: 'teamName', message: 'A team needs a name.' });
  if (!members) return [...issues, { path: 'teamMembers', message: 'A team needs its roster.' }];
  const { rosterMin, rosterMax } = sizes;
  if (members.length < rosterMin || members.length > rosterMax) {
    const wanted = rosterMin === rosterMax ? `${rosterMin}` : `${rosterMin} to ${rosterMax}`;
    issues.push({ path: 'teamMembers', message: `A roster has ${wanted} players; this one has ${members.length}.` });
  }
  const captains = members.filter((member) => member.role === 'captain');
  if (captains.length !== 1 || captains[0]?.userId !== captainId) {
    issues.push({ path: 'teamMembers', message: 'The roster needs one captain: the player who registers it.' });
  }
  const seen = new Set<string>();
  for (const [index, { userId }] of members.entries()) {
    if (seen.has(userId)) issues.push({ path: `teamMembers.${index}.userId`, message: 'This player is listed twice.' });
    seen.add(userId);
  }
  return issues;
}
