'use client';

import { useState } from 'react';
import { actionLooks, whom } from '@/components/tournaments/desk/actions/actions';
import type { DeskAction, DeskRow } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Textarea } from '@/components/ui/form/input';
import { ConfirmDialog, Dialog, DialogClose } from '@/components/ui/overlay/dialog';

export type Asked = { action: DeskAction; rows: DeskRow[] };

const reasonLimit = 500;
const namesShown = 8;

function Names({ rows }: { rows: DeskRow[] }) {
  if (rows.length === 1) return null;
  const more = rows.length - namesShown;
  return (
    <p className="wrap-anywhere">
      {rows.slice(0, namesShown).map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 ? ', ' : ''}
          <bdi>{name}</bdi>
        </span>
      ))}
      {more > 0 ? ` and ${more} more` : ''}
    </p>
  );
}

function ReasonForm({
  asked,
  question,
  onDone,
  onClose,
}: {
  asked: Asked;
  question: string;
  onDone: (reason: string) => void;
  onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const [error, setError] = useState<string>();
  const { word } = actionLooks[asked.action];
  function submit() {
    const given = reason.trim();
    if (given === '') return setError('Give a reason. The entrant will read it.');
    onDone(given);
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`${word} ${whom(asked.rows)}?`}
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
            maxLength={reasonLimit}
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
export function AskDialog({
  asked,
  onDone,
  onClose,
}: {
  asked: Asked | null;
  onDone: (asked: Asked, reason?: string) => void;
  onClose: () => void;
}) {
  if (!asked) return null;
  const { word, reason, asks, danger } = actionLooks[asked.action];
  if (reason) {
    return <ReasonForm asked={asked} question={reason} onClose={onClose} onDone={(given) => onDone(asked, given)} />;
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`${word} ${whom(asked.rows)}?`}
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
