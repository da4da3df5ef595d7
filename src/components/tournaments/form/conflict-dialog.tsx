'use client';

import { fieldLabels } from '@/components/tournaments/form/labels';
import type { Settings } from '@/components/tournaments/form/values';
import { EditConflictDialog } from '@/components/ui/overlay/edit-conflict-dialog';
import type { EditableField } from '@/domain/tournaments/rules';

export type Conflict = {
  /** What they changed since this page was loaded. */
  theirs: EditableField[];
  /** What this form changes. */
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

/** Someone saved the same tournament meanwhile. */
export function ConflictDialog({
  conflict,
  saving,
  onClose,
  onKeepMine,
  onTakeTheirs,
}: {
  conflict: Conflict | null;
  saving: boolean;
  onClose: () => void;
  onKeepMine: (conflict: Conflict) => void;
  onTakeTheirs: () => void;
}) {
  const theirs = conflict?.theirs.map((field) => ({
    label: fieldLabels[field],
    value: displayValue(conflict.latest[field]),
  }));
  return (
    <EditConflictDialog
      open={conflict !== null}
      subject="tournament"
      theirs={theirs ?? []}
      mine={conflict?.mine.map((field) => fieldLabels[field]) ?? []}
      noneOfTheirs="Its state, such as registration or publication; no setting."
      saving={saving}
      onClose={onClose}
      onKeepMine={() => conflict && onKeepMine(conflict)}
      onTakeTheirs={onTakeTheirs}
    />
  );
}
