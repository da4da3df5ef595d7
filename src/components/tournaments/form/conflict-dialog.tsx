'use client';

import { fieldLabels } from '@/components/tournaments/form/labels';
import type { Settings } from '@/components/tournaments/form/values';
import { type ConflictProps, EditConflictDialog } from '@/components/ui/overlay/edit-conflict-dialog';
import type { EditableField } from '@/domain/tournaments/rules';

export type Conflict = {
  /** The fields someone else changed since this page loaded. */
  theirs: EditableField[];
  /** The fields this form changes. */
  mine: EditableField[];
  latest: Settings;
  version: number;
};

const displayValue = (value: unknown): string => {
  if (value === null || value === '') return 'empty';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string' || typeof value === 'number') return String(value).slice(0, 80);
  return 'changed';
};

/** Shown when someone else saved the tournament while it was being edited. */
export function ConflictDialog(props: ConflictProps<Conflict>) {
  return (
    <EditConflictDialog
      {...props}
      subject="tournament"
      describe={({ theirs, mine, latest }) => ({
        theirs: theirs.map((field) => ({ label: fieldLabels[field], value: displayValue(latest[field]) })),
        mine: mine.map((field) => fieldLabels[field]),
      })}
      noneOfTheirs="Its status, for example publication or registration, but no settings."
    />
  );
}
