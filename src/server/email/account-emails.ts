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

/** Only a confirmed account's name: a stranger may have signed up with someone's address and any text as its name. */
function greeting({ name, emailVerifiedAt }: { name: string; emailVerifiedAt: Date | null }): string {
  return emailVerifiedAt ? `Hello ${name},` : 'Hello,';
}

/** Asks someone who signed up to confirm their address. */
export function confirmAddressEmail(token: string): Email {
  return {
    subject: 'Confirm your email address',
    paragraphs: [
      'Hello,',
      'Someone, probably you, signed up with this address.',
      // A stranger can sign up with anyone's address and a password of their own.
      'Confirm it where you signed up, or with the password that you chose. If it was not you and you want the account, the link lets you choose a new password, which ends what anyone else did to sign in.',
      `The link works for ${durationInWords(lifetimes.verify_email)}.`,
    ],
    action: { label: 'Confirm address', url: `${publicUrl}/verify-email?token=${token}` },
    reason: notYou,
  };
}

/** Sent when someone signs up with an address that already has an account. */
export function accountExistsEmail(user: Parameters<typeof greeting>[0], token: string): Email {
  return {
    subject: 'You already have an account',
    paragraphs: [
      greeting(user),
      'Someone, probably you, tried to sign up with this address. It already has an account, so nothing was changed.',
      `Sign in with your password, or choose a new one with this link. It works for ${durationInWords(lifetimes.reset_password)}.`,
    ],
    action: resetPasswordAction(token),
    reason: notYou,
  };
}

/** The link to choose a new password. */
export function resetPasswordEmail(user: Parameters<typeof greeting>[0], token: string): Email {
  return {
    subject: 'Choose a new password',
    paragraphs: [
      greeting(user),
      `You can choose a new password with this link. It works once, for ${durationInWords(lifetimes.reset_password)}.`,
    ],
    action: resetPasswordAction(token),
    reason: notYou,
  };
}

/** Tells the owner of an account that its password was changed. */
export function passwordChangedEmail(user: Parameters<typeof greeting>[0]): Email {
  return {
    subject: 'Your password was changed',
    paragraphs: [
      greeting(user),
      'The password of your account was changed, and you were signed out everywhere. If you did not do this, choose a new password now.',
    ],
    action: { label: 'This was not me', url: `${publicUrl}/forgot-password` },
    reason: 'You received this email because it is about the security of your account.',
  };
}

/**
 * Invites someone to a project. It contains no text that the inviter wrote, such as the project's name, because the reader
 * has not agreed to hear from them; the page behind the link has it.
 */
export function projectInvitationEmail({ role, token }: { role: ProjectRole; token: string }): Email {
  return {
    subject: 'You are invited to a project on Laurel',
    paragraphs: [
      `You are invited to join a project. Your role would be ${roleWords[role].name}: you can ${roleWords[role].can}.`,
      `Open the invitation to see which project it is and who invited you. The link works for ${durationInWords(invitationLifetime)}, for this address only.`,
    ],
    action: { label: 'View invitation', url: `${publicUrl}/invitations/${token}` },
    reason: 'If you do not expect an invitation, you can ignore this email: you only join if you accept.',
  };
}

/**
 * Invites a player to a team, without any text that the captain wrote. `token` null: the player finds the invitation when
 * signed in.
 */
export function teamInvitationEmail(invitation: {
  role: InvitableRole;
  token: string | null;
  /** The account of a known player, who can unsubscribe; others have no settings to change. */
  userId?: string;
}): Email {
  const { role, token, userId } = invitation;
  return {
    subject: 'You are invited to a team on Laurel',
    paragraphs: [
      `You are invited to join a team as a ${teamRoleWords[role].name.toLowerCase()}.`,
      `Open the invitation to see which team it is and who invited you. It is open for ${durationInWords(teamInvitationLifetime)}${token ? ', for this address only' : ''}.`,
    ],
    action: { label: 'View invitation', url: token ? `${publicUrl}/team-invitations/${token}` : `${publicUrl}/me` },
    reason: 'If you do not expect an invitation, you can ignore this email: you only join if you accept.',
    unsubscribe: userId ? unsubscribeAddresses(userId) : undefined,
  };
}
