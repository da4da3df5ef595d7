import { z } from 'zod';
import { emailField, nameField } from '@/lib/account-forms';

/** Most members of a team; more than any roster takes. */
export const teamSizeMax = 50;

const tagField = z
  .string()
  .trim()
  .regex(/^[\p{L}\p{N}]{2,6}$/u, 'Use two to six letters or digits.');

export const teamRoles = ['captain', 'player', 'substitute'] as const;
export type TeamRole = (typeof teamRoles)[number];
/** Roles that an invitation may offer: captaincy is handed over instead. */
export const offeredRoles = ['player', 'substitute'] as const;

/** What each role is called and is for, in a sentence's end. */
export const teamRoleWords: Record<TeamRole, { name: string; does: string }> = {
  captain: { name: 'Captain', does: 'runs the team and registers it.' },
  player: { name: 'Player', does: 'in the line-up.' },
  substitute: { name: 'Substitute', does: 'steps in when a player is missing.' },
};

export const teamForm = z.object({
  name: nameField,
  tag: z
    .union([z.literal('').transform(() => null), tagField])
    .nullable()
    .default(null),
});
export const teamFields = { name: nameField, tag: tagField.nullable() };
export const teamInviteForm = z.object({ email: emailField, role: z.enum(offeredRoles) });
