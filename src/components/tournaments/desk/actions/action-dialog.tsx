'use client';

import { useState } from 'react';
import { actionDefinitions, participantLabel } from '@/components/tournaments/desk/actions/actions';
import type { DeskAction, DeskRow } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Textarea } from '@/components/ui/form/input';
import { ConfirmDialog, Dialog, DialogClose } from '@/components/ui/overlay/dialog';

export type PendingAction = { action: DeskAction; rows: DeskRow[] };

const maxReasonLength = 500;
const maxNames = 8;

function Names({ rows }: { rows: DeskRow[] }) {
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
  asked,
  question,
  onDone,
  onClose,
}: {
  asked: PendingAction;
  question: string;
  onDone: (reason: string) => void;
  onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const [error, setError] = useState<string>();
  const { label: word } = actionDefinitions[asked.action];
  function submit() {
    const given = reason.trim();
    if (given === '') return setError('Give a reason. The entrant will read it.');
    onDone(given);
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`${word} ${participantLabel(asked.rows)}?`}
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button variant="danger" onClick={submit}>
            {word} {asked.rows.length > 1 ? asked.rows.length : ''}
          </Button>
        </>
      }
    >
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Names rows={asked.rows} />
        <Field label={question} required error={error} hint="Shown to the entrant, and kept in the history.">
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
      </form>
    </Dialog>
  );
}

/** Asks before what needs a reason or cannot be undone; says whom it concerns and what will happen. */
export function ActionDialog({
  asked,
  onDone,
  onClose,
}: {
  asked: PendingAction | null;
  onDone: (asked: PendingAction, reason?: string) => void;
  onClose: () => void;
}) {
  if (!asked) return null;
  const { label: word, reasonQuestion: reason, warning: asks, danger } = actionDefinitions[asked.action];
  if (reason) {
    return <ReasonDialog asked={asked} question={reason} onClose={onClose} onDone={(given) => onDone(asked, given)} />;
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`${word} ${participantLabel(asked.rows)}?`}
      danger={danger ?? false}
      confirmLabel={asked.rows.length > 1 ? `${word} ${asked.rows.length}` : word}
      cancelLabel="Cancel"
      onConfirm={() => onDone(asked)}
    >
      <Names rows={asked.rows} />
      <p>{asks}</p>
    </ConfirmDialog>
  );
}
