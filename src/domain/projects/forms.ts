import { z } from 'zod';
import { nameField } from '@/domain/accounts/forms';
import { lineField } from '@/domain/text/line';
import { pageSlugs } from '@/domain/text/slug';

/** How a project's slug is made from its name. */
export const projectSlug = { maxLength: 40, fallback: 'project', pages: pageSlugs } as const;

/** Part of a project's public address. */
export const slugField = z
  .string()
  .trim()
  .min(3, 'Use at least 3 characters.')
  .max(48, 'Use at most 48 characters.')
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Use lower-case letters, digits and single hyphens.')
  .refine((slug) => !pageSlugs.includes(slug), 'This is the address of another page.');

export const projectForm = z.object({ name: nameField, slug: slugField });
export const keyNameField = lineField({ max: 80, empty: 'Enter a name, such as the app that uses the key.' });
