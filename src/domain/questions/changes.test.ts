import { expect, test } from 'vitest';
import type { CustomFieldDefinition } from '@/domain/tournaments/settings';
import { question } from '@/test/questions';
import { questionChanges } from './changes';

const kinds = (before: Partial<CustomFieldDefinition>, next: Partial<CustomFieldDefinition>) =>
  questionChanges([question(before)], [question(next)]).flatMap(({ changes }) => changes);

test('order, help texts, more choices and relaxed rules do not affect answers', () => {
  const [a, b] = [question({ key: 'a' }), question({ key: 'b' })];
  expect(questionChanges([a, b], [b, a])).toEqual([]);
  expect(kinds({}, { helpText: 'In your profile.' })).toEqual([]);
  expect(kinds({ type: 'select', options: ['EU'] }, { type: 'select', options: ['NA', 'EU'] })).toEqual([]);
  expect(kinds({ required: true, pattern: 'a', visibility: 'public' }, {})).toEqual([]);
  expect(questionChanges([], [a])).toEqual([]);
});

test('names every change that affects answers', () => {
  expect(kinds({}, { label: 'Other' })).toEqual(['label']);
  expect(kinds({ type: 'select', options: ['EU', 'NA'] }, { type: 'select', options: ['EU'] })).toEqual(['options']);
  expect(kinds({}, { pattern: 'a' })).toEqual(['pattern']);
  expect(kinds({}, { required: true, visibility: 'public' })).toEqual(['required', 'visibility']);
  expect(questionChanges([question()], [])).toEqual([{ key: 'q', label: 'Question', changes: ['removed'] }]);
  expect(questionChanges([], [question({ required: true })])).toEqual([
    { key: 'q', label: 'Question', changes: ['added'] },
  ]);
});

test('a changed question keeps the label that participants saw', () => {
  expect(questionChanges([question()], [question({ label: 'Other' })])[0]?.label).toBe('Question');
});
