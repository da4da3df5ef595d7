'use client';

import { TriangleAlert } from 'lucide-react';
import { Button } from '@/components/ui/form/button';
import { Dialog } from '@/components/ui/overlay/dialog';
import type { QuestionChangeKind } from '@/domain/questions/changes';
import { counted } from '@/domain/text/counted';
import type { Outputs } from '@/trpc/outputs';

export type QuestionWarnings = Outputs['tournaments']['questions']['preview']['warnings'];

const changeLabels: Record<QuestionChangeKind, string> = {
  added: 'is new and must be answered',
  removed: 'is asked no more',
  label: 'is worded anew',
  options: 'loses choices',
  pattern: 'asks for another form',
  required: 'must be answered from now on',
  visibility: 'becomes visible to everyone for answers given from now on',
};

function warningText({ answered, unfit, changes }: QuestionWarnings[number]): string {
  const given =
    answered === 0
      ? changes.includes('added')
        ? ''
        : 'Nobody has answered it.'
      : `${counted(answered, 'entrant')} answered it as it was; those answers stay readable.`;
  const missing =
    unfit === 0
      ? ''
      : `${counted(unfit, 'entrant')} ${unfit === 1 ? 'has' : 'have'} no answer that fits, and will be asked when they next edit their registration.`;
  return [given, missing].filter(Boolean).join(' ');
}

/** Names, before it is saved, what a change of the questions means to those who are registered. */
export function QuestionWarningsDialog({
  warnings,
  saving,
  onClose,
  onSave,
}: {
  /** null: closed. */
  warnings: QuestionWarnings | null;
  saving: boolean;
  onClose: () => void;
  onSave: () => void;
}) {
  return (
    <Dialog
      open={warnings !== null}
      onOpenChange={(open) => !open && onClose()}
      title="Entrants have registered with other questions"
      description="Answers are kept together with the questions as they were. Nobody loses their slot."
      footer={
        <>
          <Button onClick={onClose} disabled={saving}>
            Go on editing
          </Button>
          <Button variant="primary" loading={saving} onClick={onSave}>
            Save the new questions
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
