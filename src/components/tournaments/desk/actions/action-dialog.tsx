'use client';

import { useState } from 'react';
import { actionDefinitions, participantLabel } from '@/components/tournaments/desk/actions/actions';
import type { DeskAction, DeskRow } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { Textarea } from '@/components/ui/form/input';
import { ConfirmDialog, Dialog, DialogClose } from '@/components/ui/overlay/dialog';

type Named = Pick<DeskRow, 'id' | 'name'>;

/** `reason` is what the field for it holds at first. */
export type PendingAction<Row extends Named = DeskRow> = { action: DeskAction; rows: Row[]; reason?: string };

const maxReasonLength = 500;
const maxNames = 8;

function Names({ rows }: { rows: Named[] }) {
  if (rows.length === 1) return null;
  const more = rows.length - maxNames;
  return (
    <p className="wrap-anywhere">
      {rows.slice(0, maxNames).map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 ? ', ' : ''}
          <bdi>{name}</bdi>
        </span>
      ))}
      {more > 0 ? ` and ${more} more` : ''}
    </p>
  );
}

function ReasonDialog({
  pending,
  question,
  onDone,
  onClose,
}: {
  pending: PendingAction<Named>;
  question: string;
  onDone: (reason: string) => void;
  onClose: () => void;
}) {
  const [reason, setReason] = useState(pending.reason ?? '');
  const [error, setError] = useState<string>();
  const { label } = actionDefinitions[pending.action];
  function submit() {
    const trimmed = reason.trim();
    if (trimmed === '') return setError('Enter a reason. The participant will see it.');
    onDone(trimmed);
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`${label} ${participantLabel(pending.rows)}?`}
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button variant="danger" onClick={submit}>
            {label} {pending.rows.length > 1 ? pending.rows.length : ''}
          </Button>
        </>
      }
    >
      <Form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Names rows={pending.rows} />
        <Field label={question} required error={error} hint="Shown to the participant and kept in the history.">
          <Textarea
            autoFocus
            rows={3}
            maxLength={maxReasonLength}
            value={reason}
            onChange={(event) => {
              setReason(event.target.value);
              setError(undefined);
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
            }}
          />
        </Field>
      </Form>
    </Dialog>
  );
}

/** Asks for a reason or a confirmation before an action, naming the participants and the consequences. */
export function ActionDialog<Row extends Named>({
  pending,
  onDone,
  onClose,
}: {
  pending: PendingAction<Row> | null;
  onDone: (pending: PendingAction<Row>, reason?: string) => void;
  onClose: () => void;
}) {
  if (!pending) return null;
  const { label, reasonQuestion, warning, danger } = actionDefinitions[pending.action];
  if (reasonQuestion) {
    return (
      <ReasonDialog
        pending={pending}
        question={reasonQuestion}
        onClose={onClose}
        onDone={(text) => onDone(pending, text)}
      />
    );
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`${label} ${participantLabel(pending.rows)}?`}
      danger={danger ?? false}
      confirmLabel={pending.rows.length > 1 ? `${label} ${pending.rows.length}` : label}
      cancelLabel="Cancel"
      onConfirm={() => onDone(pending)}
    >
      <Names rows={pending.rows} />
      <p>{warning}</p>
    </ConfirmDialog>
  );
}
