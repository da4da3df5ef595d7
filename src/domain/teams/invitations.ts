import { z } from 'zod';
import { emailField } from '@/domain/accounts/forms';
import { invitableRoles } from '@/domain/teams/roles';
import { day } from '@/domain/time/durations';

/** Milliseconds an invitation to a team stays open. */
export const teamInvitationLifetime = 14 * day;

export const teamInvitationStatuses = ['open', 'expired', 'accepted', 'declined', 'revoked'] as const;
export type TeamInvitationStatus = (typeof teamInvitationStatuses)[number];

/** The state of an invitation at `now`. */
export function teamInvitationStatus(
  invitation: { acceptedAt: Date | null; declinedAt: Date | null; revokedAt: Date | null; expiresAt: Date },
  now: Date = new Date(),
): TeamInvitationStatus {
  if (invitation.acceptedAt) return 'accepted';
  if (invitation.declinedAt) return 'declined';
  if (invitation.revokedAt) return 'revoked';
  return invitation.expiresAt <= now ? 'expired' : 'open';
}

/** To an email address, to a player with an account, or to everyone who has the link. */
export const teamInvitationKinds = ['email', 'player', 'link'] as const;
export type TeamInvitationKind = (typeof teamInvitationKinds)[number];

/** Whom an invitation is for. */
export function teamInvitationKind(invitation: { userId: string | null; email: string | null }): TeamInvitationKind {
  if (invitation.userId) return 'player';
  return invitation.email ? 'email' : 'link';
}

const isPlayerId = (text: string) => /^usr_\w+$/.test(text);

/** Invites one person, by email address or player id, or creates a link for everyone who has it. */
export const teamInviteForm = z
  .object({ way: z.enum(['person', 'link']), who: z.string().trim(), role: z.enum(invitableRoles) })
  .refine(({ way, who }) => way === 'link' || isPlayerId(who) || emailField.safeParse(who).success, {
    message: 'Enter an email address, like name@example.com, or a player ID, like usr_….',
    path: ['who'],
  });
