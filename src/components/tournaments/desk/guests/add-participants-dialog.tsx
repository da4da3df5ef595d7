'use client';

import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { checkGuests, type GuestLine, readGuests } from '@/components/tournaments/desk/guests/guest-list';
import type { DeskRow, Tournament } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { Textarea } from '@/components/ui/form/input';
import { Dialog, DialogClose } from '@/components/ui/overlay/dialog';
import { toastError, toastUndo } from '@/components/ui/overlay/toaster';
import { ErrorNote } from '@/components/ui/page/error-state';
import { maxGuestsAtOnce } from '@/domain/participants/guests';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const formId = 'add-participants';

const isHere = ({ registrationStatus }: DeskRow) =>
  registrationStatus !== 'cancelled' && registrationStatus !== 'rejected';

/** What becomes of the pasted lines, and who is left out. `children`: what is in the way. */
function Preview({ lines, free, children }: { lines: GuestLine[]; free: number; children: ReactNode }) {
  const wrong = lines.filter(({ problem }) => problem !== null);
  const good = lines.filter(({ problem }) => problem === null);
  return (
    <div className="grid grid-cols-1 gap-3">
      <p role="status" className="flex flex-wrap gap-x-6 gap-y-1">
        <span>
          <strong className="figure text-lg">{good.length}</strong> to add
        </span>
        <span className={wrong.length > 0 ? 'text-danger' : 'text-muted'}>
          <strong className="figure text-lg">{wrong.length}</strong> left out
        </span>
        <span className={good.length > free ? 'text-danger' : 'text-muted'}>
          <strong className="figure text-lg">{free}</strong> {free === 1 ? 'free slot' : 'free slots'}
        </span>
      </p>
      {children}
      {lines.length > 0 ? (
        <ol className="max-h-56 divide-y overflow-y-auto rounded border text-sm" aria-label="Preview">
          {[...wrong, ...good].map(({ line, name, roster, problem }) => (
            <li key={line} className="flex items-baseline gap-3 px-3 py-1.5">
              <bdi className="min-w-0 truncate font-medium">{name}</bdi>
              {problem ? (
                <span className="ml-auto shrink-0 text-danger">{problem}</span>
              ) : roster.length > 0 ? (
                <span className="min-w-0 truncate text-muted">{roster.join(', ')}</span>
              ) : null}
            </li>
          ))}
        </ol>
      ) : null}
    </div>
  );
}

/** Adds participants without an account from pasted names, all in one press. */
export function AddParticipantsDialog({
  tournament,
  rows,
  onClose,
  onChanged,
}: {
  tournament: Tournament;
  rows: readonly DeskRow[];
  onClose: () => void;
  onChanged: () => void;
}) {
  const trpc = useTRPC();
  const [text, setText] = useState('');
  const [missing, setMissing] = useState<string>();
  const noteId = useId();
  const { id: tournamentId, maxParticipants, currentParticipants, teamSize } = tournament;
  const teams = teamSize > 1;
  const lines = checkGuests(
    readGuests(text, teams),
    rows.filter(isHere).map(({ name }) => name),
  );
  const guests = lines.filter(({ problem }) => problem === null);
  const free = maxParticipants - currentParticipants;
  const needed = currentParticipants + guests.length;

  const undo = useMutation(trpc.participants.bulk.mutationOptions({ onSettled: onChanged }));
  const raise = useMutation(trpc.tournaments.update.mutationOptions({ onSettled: onChanged }));
  const add = useMutation(
    trpc.participants.addGuests.mutationOptions({
      onSuccess: ({ items }) => {
        const participantIds = items.map(({ id }) => id);
        toastUndo(`${counted(items.length, 'participant')} added`, () =>
          undo
            .mutateAsync({ tournamentId, action: 'remove', participantIds })
            .catch((error: unknown) => toastError(error, 'Could not undo')),
        );
        onClose();
      },
      onSettled: onChanged,
    }),
  );
  const error = add.error ?? raise.error;
  const refusal = error ? readError(error) : null;
  const tooMany = guests.length > maxGuestsAtOnce;

  function submit() {
    if (add.isPending || raise.isPending || needed > maxParticipants || tooMany) return;
    if (guests.length === 0) {
      return setMissing(lines.length > 0 ? 'None of these names can be added.' : 'Enter at least one name.');
    }
    raise.reset();
    add.mutate({
      tournamentId,
      participants: guests.map(({ name, roster }) => ({ name, roster: toRoster(roster) })),
    });
  }

  return (
    <Dialog
      open
      width="lg"
      onOpenChange={(open) => !open && !add.isPending && onClose()}
      title="Add participants"
      description={`For ${teams ? 'teams' : 'players'} without an account: you check them in and report for them. They get a slot at once.`}
      footer={
        <>
          <DialogClose>
            <Button disabled={add.isPending}>Cancel</Button>
          </DialogClose>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            loading={add.isPending}
            disabled={needed > maxParticipants || tooMany}
          >
            {guests.length > 0 ? `Add ${counted(guests.length, 'participant')}` : 'Add participants'}
          </Button>
        </>
      }
    >
      <Form
        id={formId}
        className="grid grid-cols-1 gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {refusal ? (
          <ErrorNote message={refusal.message} reason={refusal.reason} requestId={refusal.requestId}>
            {refusal.issues.slice(0, 10).map(({ path, message }) => (
              <p key={`${path} ${message}`}>{message}</p>
            ))}
          </ErrorNote>
        ) : null}
        <Field
          label={teams ? 'Team names' : 'Names'}
          required
          error={missing}
          hint={
            teams
              ? 'One team per line, with its players if you know them: Foxes: Ada, Bo. Or paste a table with a column Team.'
              : 'One name per line, or paste a table with a column Name. Ctrl+Enter adds them.'
          }
        >
          <Textarea
            autoFocus
            rows={8}
            value={text}
            spellCheck={false}
            placeholder={teams ? 'Foxes\nOwls' : 'Ada\nBo'}
            onChange={(event) => {
              setText(event.target.value);
              setMissing(undefined);
              add.reset();
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              submit();
            }}
          />
        </Field>
        <Preview lines={lines} free={free}>
          {tooMany ? (
            <p className="text-danger">Add at most {maxGuestsAtOnce} participants at a time.</p>
          ) : needed > maxParticipants ? (
            <div className="flex flex-wrap items-center gap-3 rounded border bg-sunken px-3 py-2">
              <p id={noteId} className="min-w-0 flex-1">
                {counted(guests.length, 'name needs', 'names need')} a slot, and{' '}
                {counted(Math.max(0, free), 'slot is', 'slots are')} free.
              </p>
              <Button
                size="sm"
                className="max-md:h-11"
                aria-describedby={noteId}
                loading={raise.isPending}
                onClick={() => raise.mutate({ tournamentId, maxParticipants: needed })}
              >
                Raise the maximum to {needed}
              </Button>
            </div>
          ) : null}
        </Preview>
      </Form>
    </Dialog>
  );
}

/** The players of a team as sent; undefined when none is known. */
function toRoster(players: readonly string[]) {
  return players.length > 0 ? players.map((name) => ({ name })) : undefined;
}
