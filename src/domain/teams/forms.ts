import { z } from 'zod';
import { nameField } from '@/domain/accounts/forms';

/** Maximum members of a team; larger than any roster. */
export const maxTeamMembers = 50;

const tagField = z
  .string()
  .trim()
  .regex(/^[\p{L}\p{N}]{2,6}$/u, 'Use 2 to 6 letters or digits.');

/** The form of the pages: an empty tag means none. */
export const teamForm = z.object({
  name: nameField,
  tag: z
    .union([z.literal('').transform(() => null), tagField])
    .nullable()
    .default(null),
});
export const teamFields = { name: nameField, tag: tagField.nullable() };
