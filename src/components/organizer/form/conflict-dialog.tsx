'use client';

import type { Settings } from '@/components/organizer/form/values';
import { fieldWords } from '@/components/organizer/form/words';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import type { EditableField } from '@/lib/tournament-rules';

export type Conflict = {
  /** What they changed since this page was loaded. */
  theirs: EditableField[];
  /** What this form changes. */
  mine: EditableField[];
  latest: Settings;
  version: number;
};

const show = (value: unknown): string => {
  if (value === null || value === '') return 'empty';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string' || typeof value === 'number') return String(value).slice(0, 80);
  return 'changed';
};

/** Someone saved the same tournament meanwhile: names what changed and lets one choose. */
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
  onTakeTheirs: (conflict: Conflict) => void;
}) {
  const both = conflict?.theirs.filter((field) => conflict.mine.includes(field)) ?? [];
  return (
    <Dialog
      open={conflict !== null}
      onOpenChange={(open) => !open && onClose()}
      title="Someone changed this tournament meanwhile"
      description="Nothing of yours is lost. Choose what to do with it."
      footer={
        conflict ? (
          <div className="flex flex-wrap justify-end gap-3">
            <Button onClick={() => onTakeTheirs(conflict)} disabled={saving}>
              Discard mine, show theirs
            </Button>
            <Button variant="primary" loading={saving} onClick={() => onKeepMine(conflict)}>
              {both.length > 0 ? 'Save mine over theirs' : 'Save mine as well'}
            </Button>
          </div>
        ) : null
      }
    >
      <div className="grid gap-4">
        <div>
          <h3 className="font-medium">They changed</h3>
          <ul className="mt-1 grid gap-1 text-muted">
            {conflict?.theirs.map((field) => (
              <li key={field}>
                <span className="text-ink">{fieldWords[field]}</span>: {show(conflict.latest[field])}
                {both.includes(field) ? ' (you changed it too)' : ''}
              </li>
            ))}
            {conflict?.theirs.length === 0 ? (
              <li>Its state, such as registration or publication; no setting.</li>
            ) : null}
          </ul>
        </div>
        <div>
          <h3 className="font-medium">You changed</h3>
          <p className="mt-1 text-muted">{conflict?.mine.map((field) => fieldWords[field]).join(', ')}</p>
        </div>
        <p className="text-muted">
          {both.length > 0
            ? `Saving yours replaces what they set for ${both.map((field) => fieldWords[field].toLowerCase()).join(', ')}; the rest of theirs stays.`
            : 'You changed different things, so both can stand.'}
        </p>
      </div>
    </Dialog>
  );
}
