'use client';

import { Button } from '@/components/ui/form/button';
import { Dialog } from '@/components/ui/overlay/dialog';

/** What a form gives to the dialog about a conflict; null while there is none. */
export type ConflictProps<Conflict> = {
  conflict: Conflict | null;
  saving: boolean;
  onClose: () => void;
  onKeepMine: (conflict: Conflict) => void;
  onTakeTheirs: () => void;
};

/**
 * Shown when someone else saved the same thing in the meantime. Lists both people's changes by field label and lets the
 * viewer choose. `theirs` may include the values that the fields have now.
 */
export function EditConflictDialog<Conflict>({
  conflict,
  subject,
  describe,
  noneOfTheirs,
  saving,
  onClose,
  onKeepMine,
  onTakeTheirs,
}: ConflictProps<Conflict> & {
  /** The thing that both edited, for example `webhook`. */
  subject: string;
  /** What both changed. */
  describe: (conflict: Conflict) => { theirs: { label: string; value?: string }[]; mine: string[] };
  /** Describes their change when it touched no field. */
  noneOfTheirs: string;
}) {
  if (conflict === null) return null;
  const { theirs, mine } = describe(conflict);
  const both = theirs.map(({ label }) => label).filter((label) => mine.includes(label));
  return (
    <Dialog
      open
      onOpenChange={(shown) => !shown && onClose()}
      title={`Someone else edited this ${subject}`}
      description="Your changes are not saved yet, but nothing is lost. Choose how to continue."
      footer={
        <div className="flex flex-wrap justify-end gap-3">
          <Button onClick={onTakeTheirs} disabled={saving}>
            Discard my changes
          </Button>
          <Button variant="primary" loading={saving} onClick={() => onKeepMine(conflict)}>
            {both.length > 0 ? 'Overwrite their changes' : 'Save my changes'}
          </Button>
        </div>
      }
    >
      <div className="grid gap-4">
        <div>
          <h3 className="font-medium">They changed</h3>
          <ul className="mt-1 grid gap-1 text-muted">
            {theirs.map(({ label, value }) => (
              <li key={label}>
                <span className="text-ink">{label}</span>
                {value === undefined ? '' : `: ${value}`}
                {both.includes(label) ? ' (you changed it too)' : ''}
              </li>
            ))}
            {theirs.length === 0 ? <li>{noneOfTheirs}</li> : null}
          </ul>
        </div>
        <div>
          <h3 className="font-medium">You changed</h3>
          <p className="mt-1 text-muted">{mine.join(', ')}</p>
        </div>
        <p className="text-muted">
          {both.length > 0
            ? `Saving replaces their ${both.map((label) => label.toLowerCase()).join(', ')}. Their other changes stay.`
            : 'You changed different things, so both changes can be kept.'}
        </p>
      </div>
    </Dialog>
  );
}
