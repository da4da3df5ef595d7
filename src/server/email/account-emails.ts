import { lifetimes } from '@/domain/accounts/lifetimes';
import { invitationLifetime } from '@/domain/projects/invitations';
import { type ProjectRole, roleWords } from '@/domain/projects/roles';
import { teamInvitationLifetime } from '@/domain/teams/invitations';
import { type InvitableRole, teamRoleWords } from '@/domain/teams/roles';
import { durationInWords } from '@/domain/time/durations';
import { publicUrl } from '@/env';
import type { Email } from '@/server/email/layout';
import { unsubscribeAddresses } from '@/server/email/unsubscribe';

const notYou =
  'You received this email because someone entered your address on Laurel. If it was not you, you can ignore it.';

const resetPasswordAction = (token: string) => ({
  label: 'Choose a new password',
  url: `${publicUrl}/reset-password?token=${token}`,
});

/** Asks someone who signed up to confirm their address. */
export function confirmAddressEmail(name: string, token: string): Email {
  return {
    subject: 'Confirm your email address',
    paragraphs: [
      `Hello ${name},`,
      `Please confirm that this is your email address. The link works for ${durationInWords(lifetimes.verify_email)}.`,
    ],
    action: { label: 'Confirm address', url: `${publicUrl}/verify-email?token=${token}` },
    reason: notYou,
  };
}

/** Sent when someone signs up with an address that already has an account. */
export function accountExistsEmail(name: string, token: string): Email {
  return {
    subject: 'You already have an account',
    paragraphs: [
      `Hello ${name},`,
      'Someone, probably you, tried to sign up with this address. It already has an account, so nothing was changed.',
      `Sign in with your password, or choose a new one with this link. It works for ${durationInWords(lifetimes.reset_password)}.`,
    ],
    action: resetPasswordAction(token),
    reason: notYou,
  };
}

/** The link to choose a new password. */
export function resetPasswordEmail(name: string, token: string): Email {
  return {
    subject: 'Choose a new password',
    paragraphs: [
      `Hello ${name},`,
      `You can choose a new password with this link. It works once, for ${durationInWords(lifetimes.reset_password)}.`,
    ],
    action: resetPasswordAction(token),
    reason: notYou,
  };
}

/** Tells the owner of an account that its password was changed. */
export function passwordChangedEmail(name: string): Email {
  return {
    subject: 'Your password was changed',
    paragraphs: [
      `Hello ${name},`,
      'The password of your account was changed, and you were signed out everywhere. If you did not do this, choose a new password now.',
    ],
    action: { label: 'This was not me', url: `${publicUrl}/forgot-password` },
    reason: 'You received this email because it is about the security of your account.',
  };
}

/** Invites someone to a project. */
export function projectInvitationEmail(invitation: {
  projectName: string;
  inviterName: string;
  role: ProjectRole;
  token: string;
}): Email {
  const { projectName, inviterName, role, token } = invitation;
  return {
    subject: `Join ${projectName} on Laurel`,
    paragraphs: [
      `${inviterName} invited you to join ${projectName}. Your role would be ${roleWords[role].name}: you can ${roleWords[role].can}.`,
      `The link works for ${durationInWords(invitationLifetime)}, for this address only.`,
    ],
    action: { label: 'View invitation', url: `${publicUrl}/invitations/${token}` },
    reason: 'If you do not know this project, you can ignore this email: you only join if you accept.',
  };
}

/** Invites a player to a team. `token` null: the player finds the invitation when signed in. */
export function teamInvitationEmail(invitation: {
  teamName: string;
  inviterName: string;
  role: InvitableRole;
  token: string | null;
  /** The account of a known player, who can unsubscribe; others have no settings to change. */
  userId?: string;
}): Email {
  const { teamName, inviterName, role, token, userId } = invitation;
  return {
    subject: `Join the team ${teamName} on Laurel`,
    paragraphs: [
      `${inviterName} invited you to join the team ${teamName} as a ${teamRoleWords[role].name.toLowerCase()}.`,
      `The invitation is open for ${durationInWords(teamInvitationLifetime)}${token ? ', for this address only' : ''}.`,
    ],
    action: { label: 'View invitation', url: token ? `${publicUrl}/team-invitations/${token}` : `${publicUrl}/me` },
    reason: 'If you do not know this team, you can ignore this email: you only join if you accept.',
    unsubscribe: userId ? unsubscribeAddresses(userId) : undefined,
  };
}
