import type { CustomFieldDefinition } from '@/domain/tournaments/settings';

/** A question of a tournament: by default an optional text that only organizers see. */
export const question = (change: Partial<CustomFieldDefinition> = {}): CustomFieldDefinition => ({
  key: 'q',
  label: 'Question',
  type: 'text',
  required: false,
  visibility: 'organizers',
  ...change,
});
