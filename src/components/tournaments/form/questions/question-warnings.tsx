'use client';

import { TriangleAlert } from 'lucide-react';
import { Button } from '@/components/ui/form/button';
import { Dialog } from '@/components/ui/overlay/dialog';
import type { QuestionChangeKind } from '@/domain/questions/changes';
import { counted } from '@/domain/text/counted';
import type { Outputs } from '@/trpc/outputs';

export type QuestionWarnings = Outputs['tournaments']['questions']['preview']['warnings'];

const changeLabels: Record<QuestionChangeKind, string> = {
  added: 'is new and required',
  removed: 'is no longer asked',
  label: 'has new wording',
  options: 'has fewer choices',
  pattern: 'has a new pattern',
  required: 'is now required',
  visibility: 'is public for new answers',
};

function warningText({ answered, unfit, changes }: QuestionWarnings[number]): string {
  const answers =
    answered === 0
      ? changes.includes('added')
        ? ''
        : 'No one has answered it.'
      : `${counted(answered, 'participant')} answered the previous version. You can still read ${answered === 1 ? 'this answer' : 'these answers'}.`;
  const missing =
    unfit === 0
      ? ''
      : `${counted(unfit, 'participant')} ${unfit === 1 ? 'has' : 'have'} no valid answer and will be asked again when they next edit their registration.`;
  return [answers, missing].filter(Boolean).join(' ');
}

/** Says what changed questions mean for registered participants before they are saved. */
export function QuestionWarningsDialog({
  warnings,
  saving,
  onClose,
  onSave,
}: {
  /** Null while the dialog is closed. */
  warnings: QuestionWarnings | null;
  saving: boolean;
  onClose: () => void;
  onSave: () => void;
}) {
  return (
    <Dialog
      open={warnings !== null}
      onOpenChange={(open) => !open && onClose()}
      title="Participants have already answered these questions"
      description="Existing answers are kept with the questions they were given to. No one loses their slot."
      footer={
        <>
          <Button onClick={onClose} disabled={saving}>
            Keep editing
          </Button>
          <Button variant="primary" loading={saving} onClick={onSave}>
            Save new questions
          </Button>
        </>
      }
    >
      <ul className="grid gap-3">
        {warnings?.map((warning) => (
          <li key={warning.key} className="flex gap-3 rounded border bg-surface p-3">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-gold" />
            <div className="min-w-0">
              <p className="wrap-anywhere">
                <span className="font-medium text-ink" dir="auto">
                  {warning.label}
                </span>{' '}
                {warning.changes.map((kind) => changeLabels[kind]).join(', ')}.
              </p>
              <p className="text-muted">{warningText(warning)}</p>
            </div>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
