import type { CustomFieldDefinition } from '@/domain/tournaments/settings';

/** A question of a tournament: an optional text that organizers read, unless said otherwise. */
export const question = (change: Partial<CustomFieldDefinition> = {}): CustomFieldDefinition => ({
  key: 'q',
  label: 'Question',
  type: 'text',
  required: false,
  visibility: 'organizers',
  ...change,
});
