import type { CustomFieldDefinition } from '@/domain/tournaments/settings';

/** How a question differs from what entrants were asked, where that touches answers already given. */
export const questionChangeKinds = [
  'added',
  'removed',
  'label',
  'options',
  'pattern',
  'required',
  'visibility',
] as const;
export type QuestionChangeKind = (typeof questionChangeKinds)[number];

export type QuestionChange = { key: string; label: string; changes: QuestionChangeKind[] };

function changesOf(before: CustomFieldDefinition, next: CustomFieldDefinition): QuestionChangeKind[] {
  const lost = (before.options ?? []).some((option) => !next.options?.includes(option));
  const found: [QuestionChangeKind, boolean][] = [
    ['label', before.label !== next.label],
    ['options', lost],
    ['pattern', next.pattern !== undefined && before.pattern !== next.pattern],
    ['required', next.required && !before.required],
    ['visibility', next.visibility === 'public' && before.visibility !== 'public'],
  ];
  return found.flatMap(([kind, differs]) => (differs ? [kind] : []));
}

/**
 * What a change of the questions means to who has answered them: questions that vanish, say something else, take less
 * than they took, become required or public, and new ones that are required. Order, help texts and more choices are no
 * such change.
 */
export function questionChanges(before: CustomFieldDefinition[], next: CustomFieldDefinition[]): QuestionChange[] {
  const asked = new Map(before.map((field) => [field.key, field]));
  const kept = new Set(next.map((field) => field.key));
  const removed = before.flatMap(({ key, label }): QuestionChange[] =>
    kept.has(key) ? [] : [{ key, label, changes: ['removed'] }],
  );
  const others = next.flatMap((field): QuestionChange[] => {
    const was = asked.get(field.key);
    const changes: QuestionChangeKind[] = was ? changesOf(was, field) : field.required ? ['added'] : [];
    return changes.length > 0 ? [{ key: field.key, label: was?.label ?? field.label, changes }] : [];
  });
  return [...removed, ...others];
}
