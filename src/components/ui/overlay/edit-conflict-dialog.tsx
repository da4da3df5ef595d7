'use client';

import { Button } from '@/components/ui/form/button';
import { Dialog } from '@/components/ui/overlay/dialog';

/**
 * Someone saved the same thing meanwhile: names what they and you changed, and lets one choose. Fields are given by their
 * words; `theirs` may show what a field holds now.
 */
export function EditConflictDialog({
  open,
  subject,
  theirs,
  mine,
  noneOfTheirs,
  saving,
  onClose,
  onKeepMine,
  onTakeTheirs,
}: {
  open: boolean;
  /** What was changed, for example `webhook`. */
  subject: string;
  theirs: { label: string; value?: string }[];
  mine: string[];
  /** What they did where they changed no field. */
  noneOfTheirs: string;
  saving: boolean;
  onClose: () => void;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}) {
  const both = theirs.map(({ label }) => label).filter((label) => mine.includes(label));
  return (
    <Dialog
      open={open}
      onOpenChange={(shown) => !shown && onClose()}
      title={`Someone changed this ${subject} meanwhile`}
      description="Nothing of yours is lost. Choose what to do with it."
      footer={
        <div className="flex flex-wrap justify-end gap-3">
          <Button onClick={onTakeTheirs} disabled={saving}>
            Discard mine, show theirs
          </Button>
          <Button variant="primary" loading={saving} onClick={onKeepMine}>
            {both.length > 0 ? 'Save mine over theirs' : 'Save mine as well'}
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
            ? `Saving yours replaces what they set for ${both.map((label) => label.toLowerCase()).join(', ')}; the rest of theirs stays.`
            : 'You changed different things, so both can stand.'}
        </p>
      </div>
    </Dialog>
  );
}
