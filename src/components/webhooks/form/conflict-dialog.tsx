'use client';

import { EditConflictDialog } from '@/components/ui/overlay/edit-conflict-dialog';
import type { Settings } from '@/components/webhooks/form/values';
import { settingLabels } from '@/components/webhooks/labels';

export type Conflict = {
  /** Settings that someone else changed since this form was loaded. */
  theirs: (keyof Settings)[];
  /** Settings that this form changes. */
  mine: (keyof Settings)[];
  version: number;
};

/** Shown when someone else saved the same webhook in the meantime. */
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
  const mine = conflict?.mine.map((field) => settingLabels[field]) ?? [];
  return (
    <EditConflictDialog
      open={conflict !== null}
      subject="webhook"
      theirs={conflict?.theirs.map((field) => ({ label: settingLabels[field] })) ?? []}
      mine={mine.length > 0 ? mine : ['Credentials']}
      noneOfTheirs="No settings, only its status or signing secret."
      saving={saving}
      onClose={onClose}
      onKeepMine={() => conflict && onKeepMine(conflict)}
      onTakeTheirs={onTakeTheirs}
    />
  );
}
