import { z } from 'zod';
import { emailField, nameField } from '@/domain/accounts/forms';

/** Most members of a team; more than any roster takes. */
export const maxTeamMembers = 50;

const tagField = z
  .string()
  .trim()
  .regex(/^[\p{L}\p{N}]{2,6}$/u, 'Use two to six letters or digits.');

export const teamRoles = ['captain', 'player', 'substitute'] as const;
export type TeamRole = (typeof teamRoles)[number];
/** Roles that an invitation may offer: captaincy is handed over instead. */
export const invitableRoles = ['player', 'substitute'] as const;

/** What each role is called and is for. */
export const teamRoleWords: Record<TeamRole, { name: string; does: string }> = {
  captain: { name: 'Captain', does: 'Runs the team and registers it.' },
  player: { name: 'Player', does: 'In the line-up.' },
  substitute: { name: 'Substitute', does: 'Steps in when a player is missing.' },
};

export const teamForm = z.object({
  name: nameField,
  tag: z
    .union([z.literal('').transform(() => null), tagField])
    .nullable()
    .default(null),
});
export const teamFields = { name: nameField, tag: tagField.nullable() };
const isPlayerId = (text: string) => /^usr_\w+$/.test(text);

/** Whom a captain invites: one person, by address or player id, or everyone who gets the link. */
export const teamInviteForm = z
  .object({ way: z.enum(['person', 'link']), who: z.string().trim(), role: z.enum(invitableRoles) })
  .refine(({ way, who }) => way === 'link' || isPlayerId(who) || emailField.safeParse(who).success, {
    message: 'Enter an e-mail address, like name@example.com, or a player id, like usr_….',
    path: ['who'],
  });
