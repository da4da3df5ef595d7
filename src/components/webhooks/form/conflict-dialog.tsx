'use client';

import { type ConflictProps, EditConflictDialog } from '@/components/ui/overlay/edit-conflict-dialog';
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
export function ConflictDialog(props: ConflictProps<Conflict>) {
  return (
    <EditConflictDialog
      {...props}
      subject="webhook"
      describe={({ theirs, mine }) => ({
        theirs: theirs.map((field) => ({ label: settingLabels[field] })),
        mine: mine.length > 0 ? mine.map((field) => settingLabels[field]) : ['Credentials'],
      })}
      noneOfTheirs="No settings, only its status or signing secret."
    />
  );
}
