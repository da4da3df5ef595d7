import { z } from 'zod';
import { nameField } from '@/domain/accounts/forms';

/** Part of a project's public address. */
export const slugField = z
  .string()
  .trim()
  .min(3, 'Use at least 3 characters.')
  .max(48, 'Use at most 48 characters.')
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Use lower-case letters, digits and single hyphens.');

export const projectForm = z.object({ name: nameField, slug: slugField });
export const keyNameField = z.string().trim().min(1, 'Name the key after what uses it.').max(80);

/** A slug made from a name; empty when the name has no letter or digit of the Latin alphabet. */
export function slugFrom(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
}
