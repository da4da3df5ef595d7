import type { RosterRole } from '@/generated/prisma/enums';
import type { Reason } from '@/server/errors';

/** Milliseconds that an invitation stays open. */
export const invitationLifetime = 14 * 24 * 60 * 60 * 1000;

/** Attempts in a window: what one person may make, and what one address may be sent, whoever asks. */
export const limits = {
  create: { points: 30, seconds: 3600 },
  invite: { points: 60, seconds: 3600 },
  mailToAddress: { points: 10, seconds: 3600 },
} as const;

export type InvitationStatus = 'open' | 'expired' | 'accepted' | 'declined' | 'revoked';

/** Where an invitation stands. */
export function invitationStatus(
  row: { acceptedAt: Date | null; declinedAt: Date | null; revokedAt: Date | null; expiresAt: Date },
  now: Date = new Date(),
): InvitationStatus {
  if (row.acceptedAt) return 'accepted';
  if (row.declinedAt) return 'declined';
  if (row.revokedAt) return 'revoked';
  return row.expiresAt <= now ? 'expired' : 'open';
}

export type InvitationKind = 'email' | 'player' | 'link';

/** Whom an invitation is for. */
export function invitationKind(row: { userId: string | null; email: string | null }): InvitationKind {
  if (row.userId) return 'player';
  return row.email ? 'email' : 'link';
}

/**
 * Whether the user may take an invitation. The link of a mail proves the address; without it the account must have
 * proved it.
 */
export function canAnswer(
  offer: { userId: string | null; email: string | null },
  user: { id: string; email: string; emailVerified: boolean },
  by: 'link' | 'id',
): boolean {
  switch (invitationKind(offer)) {
    case 'player':
      return by === 'id' && offer.userId === user.id;
    case 'email':
      return offer.email === user.email && (by === 'link' || user.emailVerified);
    case 'link':
      return by === 'link';
  }
}

/** A change of one member: to another role, or (null) out of the team. */
export type MemberChange = { actor: RosterRole | null; self: boolean; from: RosterRole; to: RosterRole | null };

/**
 * Why a change of a member is refused; null when it is not. The captain changes everyone else, and anyone may leave
 * but the captain, who hands over first.
 */
export function memberChangeRefusal({ actor, self, from, to }: MemberChange): Reason | null {
  if (from === 'captain') {
    if (actor !== 'captain') return 'FORBIDDEN';
    return to === 'captain' ? null : 'CAPTAIN_MUST_STAY';
  }
  if (actor === 'captain') return null;
  return self && to === null ? null : 'FORBIDDEN';
}

const rank: Record<RosterRole, number> = { captain: 0, player: 1, substitute: 2 };

/** The line-up that a team enters with when its captain chooses none: everyone, the captain first, substitutes last. */
export function rosterOf<Member extends { role: RosterRole }>(members: readonly Member[]): Member[] {
  return [...members].sort((a, b) => rank[a.role] - rank[b.role]);
}
