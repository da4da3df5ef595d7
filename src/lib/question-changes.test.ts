import { expect, test } from 'vitest';
import { questionChanges } from './question-changes';
import type { CustomFieldDefinition } from './tournament-forms';

const field = (change: Partial<CustomFieldDefinition> = {}): CustomFieldDefinition => ({
  key: 'q',
  label: 'Question',
  type: 'text',
  required: false,
  visibility: 'organizers',
  ...change,
});
const kinds = (before: Partial<CustomFieldDefinition>, next: Partial<CustomFieldDefinition>) =>
  questionChanges([field(before)], [field(next)]).flatMap(({ changes }) => changes);

test('order, help, more choices and less strictness touch no answer', () => {
  const [a, b] = [field({ key: 'a' }), field({ key: 'b' })];
  expect(questionChanges([a, b], [b, a])).toEqual([]);
  expect(kinds({}, { helpText: 'In your profile.' })).toEqual([]);
  expect(kinds({ type: 'select', options: ['EU'] }, { type: 'select', options: ['NA', 'EU'] })).toEqual([]);
  expect(kinds({ required: true, pattern: 'a', visibility: 'public' }, {})).toEqual([]);
  expect(questionChanges([], [a])).toEqual([]);
});

test('what touches answers is named', () => {
  expect(kinds({}, { label: 'Other' })).toEqual(['label']);
  expect(kinds({ type: 'select', options: ['EU', 'NA'] }, { type: 'select', options: ['EU'] })).toEqual(['options']);
  expect(kinds({}, { pattern: 'a' })).toEqual(['pattern']);
  expect(kinds({}, { required: true, visibility: 'public' })).toEqual(['required', 'visibility']);
  expect(questionChanges([field()], [])).toEqual([{ key: 'q', label: 'Question', changes: ['removed'] }]);
  expect(questionChanges([], [field({ required: true })])).toEqual([
    { key: 'q', label: 'Question', changes: ['added'] },
  ]);
});

test('a question is called by what entrants were asked', () => {
  expect(questionChanges([field()], [field({ label: 'Other' })])[0]?.label).toBe('Question');
});
