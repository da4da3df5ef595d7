import { publicUrl } from '@/env';
import type { Email } from '@/server/email/outbox';
import { unsubscribeAddresses } from '@/server/email/unsubscribe';

const notYou = 'You get this because someone typed your address at Laurel. If that was not you, do nothing.';

/** Asks to confirm an address; the link lives two days. */
export function confirmAddressEmail(name: string, token: string): Email {
  return {
    subject: 'Confirm your e-mail address',
    paragraphs: [`Hello ${name},`, 'Press the link to confirm that this is your address. It works for two days.'],
    action: { label: 'Confirm address', url: `${publicUrl}/verify-email?token=${token}` },
    reason: notYou,
  };
}

/** Answers a sign-up with an address that has an account already. */
export function accountExistsEmail(name: string, token: string): Email {
  return {
    subject: 'You already have an account',
    paragraphs: [
      `Hello ${name},`,
      'Someone, probably you, tried to sign up with this address. It has an account already, so nothing was changed.',
      'Sign in with your password, or choose a new one with this link within the hour.',
    ],
    action: { label: 'Choose a new password', url: `${publicUrl}/reset-password?token=${token}` },
    reason: notYou,
  };
}

/** The link to choose a new password; it lives one hour. */
export function resetPasswordEmail(name: string, token: string): Email {
  return {
    subject: 'Choose a new password',
    paragraphs: [`Hello ${name},`, 'This link lets you choose a new password. It works once, within the hour.'],
    action: { label: 'Choose a new password', url: `${publicUrl}/reset-password?token=${token}` },
    reason: notYou,
  };
}

/** Tells the owner of an account that its password is another one now. */
export function passwordChangedEmail(name: string): Email {
  return {
    subject: 'Your password was changed',
    paragraphs: [`Hello ${name},`, 'The password of your account was changed, and every session was signed out.'],
    action: { label: 'This was not me', url: `${publicUrl}/forgot-password` },
    reason: 'You get this because it concerns the safety of your account.',
  };
}

/** Offers a role in a project; the link lives a week. */
export function projectInvitationEmail(invitation: {
  projectName: string;
  inviterName: string;
  role: string;
  token: string;
}): Email {
  const { projectName, inviterName, role, token } = invitation;
  return {
    subject: `Join ${projectName} on Laurel`,
    paragraphs: [
      `${inviterName} invites you to ${projectName} as ${role.toLowerCase()}.`,
      'The link works for seven days, for this address only.',
    ],
    action: { label: 'See the invitation', url: `${publicUrl}/invitations/${token}` },
    reason: 'If you do not know this project, do nothing: you join only by accepting.',
  };
}

/** Offers a place in a team for two weeks. `token` null: the player finds the invitation when signed in. */
export function teamInvitationEmail(invitation: {
  teamName: string;
  inviterName: string;
  role: string;
  token: string | null;
  /** A known player's, who can end such mail; someone else has no account that could say so. */
  userId?: string;
}): Email {
  const { teamName, inviterName, role, token, userId } = invitation;
  return {
    subject: `Join the team ${teamName} on Laurel`,
    paragraphs: [
      `${inviterName} invites you to the team ${teamName} as ${role}.`,
      `The invitation stays open for two weeks${token ? ', for this address only' : ''}.`,
    ],
    action: { label: 'See the invitation', url: token ? `${publicUrl}/team-invitations/${token}` : `${publicUrl}/me` },
    reason: 'If you do not know this team, do nothing: you join only by accepting.',
    unsubscribe: userId ? unsubscribeAddresses(userId) : undefined,
  };
}
