import { teamInvitationKind } from '@/domain/teams/invitations';
import { type TeamRole, teamRoles } from '@/domain/teams/roles';
import { hour } from '@/domain/time/durations';
import type { Reason } from '@/server/errors';

/** Rate limits: what one person can create. */
export const limits = {
  create: { points: 30, seconds: hour / 1000 },
  invite: { points: 60, seconds: hour / 1000 },
} as const;

/**
 * Whether the user may accept or decline an invitation. The link in an email proves the address; without the link, the
 * account must have a confirmed address.
 */
export function canAnswer(
  invitation: { userId: string | null; email: string | null },
  user: { id: string; email: string; emailVerified: boolean },
  by: 'link' | 'id',
): boolean {
  switch (teamInvitationKind(invitation)) {
    case 'player':
      return by === 'id' && invitation.userId === user.id;
    case 'email':
      return invitation.email === user.email && (by === 'link' || user.emailVerified);
    case 'link':
      return by === 'link';
  }
}

/** A change to one member: another role, or null to leave the team. `actor` is the role of the member who makes it. */
export type MemberChange = { actor: TeamRole | null; self: boolean; from: TeamRole; to: TeamRole | null };

/**
 * Why a change to a member is not allowed; null when it is. The captain can change everyone else. Everyone can leave,
 * except the captain, who has to hand over the captaincy first.
 */
export function memberChangeRefusal({ actor, self, from, to }: MemberChange): Reason | null {
  if (from === 'captain') {
    if (actor !== 'captain') return 'FORBIDDEN';
    return to === 'captain' ? null : 'CAPTAIN_MUST_STAY';
  }
  if (actor === 'captain') return null;
  return self && to === null ? null : 'FORBIDDEN';
}

/** The roster a team registers with unless its captain chooses one: everyone, the captain first, substitutes last. */
export function rosterOf<Member extends { role: TeamRole }>(members: readonly Member[]): Member[] {
  return [...members].sort((a, b) => teamRoles.indexOf(a.role) - teamRoles.indexOf(b.role));
}
