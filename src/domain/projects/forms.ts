import { z } from 'zod';
import { emailField, nameField } from '@/domain/accounts/forms';

/** Part of a project's public address. */
export const slugField = z
  .string()
  .trim()
  .min(3, 'Use at least 3 characters.')
  .max(48, 'Use at most 48 characters.')
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Use lower-case letters, digits and single hyphens.');

export const memberRoles = ['OWNER', 'ADMIN', 'ORGANIZER', 'MODERATOR', 'MEMBER'] as const;

/** What each role is called and may do, in a sentence's end. */
export const roleWords: Record<(typeof memberRoles)[number], { name: string; does: string }> = {
  OWNER: { name: 'Owner', does: 'everything, owners included.' },
  ADMIN: { name: 'Admin', does: 'members, API keys, webhooks and every tournament.' },
  ORGANIZER: { name: 'Organizer', does: 'every tournament of the project.' },
  MODERATOR: { name: 'Moderator', does: 'entrants and match results during an event.' },
  MEMBER: { name: 'Member', does: 'see the project and its drafts.' },
};

export const projectForm = z.object({ name: nameField, slug: slugField });
export const invitationForm = z.object({ email: emailField, role: z.enum(memberRoles) });
export const keyNameField = z.string().trim().min(1, 'Name the key after what uses it.').max(80);

/** How a project's slug is made from its name. */
export const projectSlug = { maxLength: 40, fallback: 'project' } as const;
