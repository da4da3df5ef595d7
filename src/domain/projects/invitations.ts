import { z } from 'zod';
import { emailField } from '@/domain/accounts/forms';
import { projectRoles } from '@/domain/projects/roles';
import { day } from '@/domain/time/durations';

/** Milliseconds an invitation stays open. */
export const invitationLifetime = 7 * day;

export const invitationStatuses = ['open', 'expired', 'accepted', 'revoked'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** The state of an invitation at `now`. */
export function invitationStatus(
  invitation: { acceptedAt: Date | null; revokedAt: Date | null; expiresAt: Date },
  now: Date = new Date(),
): InvitationStatus {
  if (invitation.acceptedAt) return 'accepted';
  if (invitation.revokedAt) return 'revoked';
  return invitation.expiresAt <= now ? 'expired' : 'open';
}

export const invitationForm = z.object({ email: emailField, role: z.enum(projectRoles) });
