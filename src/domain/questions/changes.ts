import type { CustomFieldDefinition } from '@/domain/tournaments/settings';

/** Changes to a question that affect existing answers. */
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
 * The changes that affect existing answers: questions that are removed, renamed, accept fewer answers, or become required
 * or public, and new required questions. Order, help texts and additional choices do not count.
 */
export function questionChanges(before: CustomFieldDefinition[], next: CustomFieldDefinition[]): QuestionChange[] {
  const beforeByKey = new Map(before.map((field) => [field.key, field]));
  const nextKeys = new Set(next.map((field) => field.key));
  const removed = before.flatMap(({ key, label }): QuestionChange[] =>
    nextKeys.has(key) ? [] : [{ key, label, changes: ['removed'] }],
  );
  const others = next.flatMap((field): QuestionChange[] => {
    const previous = beforeByKey.get(field.key);
    const changes: QuestionChangeKind[] = previous ? changesOf(previous, field) : field.required ? ['added'] : [];
    return changes.length > 0 ? [{ key: field.key, label: previous?.label ?? field.label, changes }] : [];
  });
  return [...removed, ...others];
}
