'use client';

import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeskRow } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError } from '@/components/ui/form/form-error';
import { Input, Textarea } from '@/components/ui/form/input';
import { Dialog, DialogClose } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonText } from '@/components/ui/page/skeleton';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const formId = 'edit-guest';

type Props = { tournamentId: string; onClose: () => void; onChanged: () => void };

/** Edits the name of a participant without an account, and the players of a team. */
export function EditGuestDialog({ row, ...props }: Props & { row: DeskRow }) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.participants.read.queryOptions({ tournamentId: props.tournamentId, participantId: row.id }),
    enabled: row.type === 'team',
  });
  if (row.type !== 'team') return <GuestForm {...props} id={row.id} name={row.name} players={null} />;
  if (query.data) {
    const players = query.data.roster.map(({ name }) => name);
    return <GuestForm {...props} id={row.id} name={row.name} players={players} />;
  }
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()} title={`Edit ${row.name}`}>
      {query.isError ? <QueryError title="The team could not be loaded" query={query} /> : <SkeletonText lines={4} />}
    </Dialog>
  );
}

function GuestForm({
  id: participantId,
  name: current,
  players,
  tournamentId,
  onClose,
  onChanged,
}: Props & {
  id: string;
  name: string;
  /** Null for an individual. */
  players: string[] | null;
}) {
  const trpc = useTRPC();
  const [name, setName] = useState(current);
  const [roster, setRoster] = useState(() => (players ?? []).join('\n'));
  const edit = useMutation(
    trpc.participants.editGuest.mutationOptions({
      onSuccess: () => {
        toastSuccess('Saved');
        onClose();
      },
      onSettled: onChanged,
    }),
  );
  const failure = edit.error ? readError(edit.error) : null;
  const ofName = failure?.issues.find(({ path }) => path === 'name')?.message;
  const ofRoster = failure?.issues.find(({ path }) => path.startsWith('roster'))?.message;
  const listed = roster
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !edit.isPending && onClose()}
      title={`Edit ${current}`}
      footer={
        <>
          <DialogClose>
            <Button disabled={edit.isPending}>Cancel</Button>
          </DialogClose>
          <Button type="submit" form={formId} variant="primary" loading={edit.isPending}>
            Save
          </Button>
        </>
      }
    >
      <Form
        id={formId}
        className="grid grid-cols-1 gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          const sent = players ? { roster: listed.map((player) => ({ name: player })) } : {};
          edit.mutate({ tournamentId, participantId, name, ...sent });
        }}
      >
        <FormError error={ofName || ofRoster ? null : failure} />
        <Field label="Name" required error={ofName}>
          <Input value={name} maxLength={80} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        </Field>
        {players ? (
          <Field label="Players" error={ofRoster} hint="One per line, the captain first.">
            <Textarea rows={6} value={roster} onChange={(event) => setRoster(event.target.value)} />
          </Field>
        ) : null}
      </Form>
    </Dialog>
  );
}
