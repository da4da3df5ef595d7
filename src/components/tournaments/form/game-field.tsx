'use client';

import { useMutation } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Controller, useFormContext } from 'react-hook-form';
import { SettingField } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { Button } from '@/components/ui/form/button';
import { Combobox } from '@/components/ui/form/combobox';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { Dialog, DialogClose } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

export type Game = { id: string; name: string };

const formId = 'add-game';

/** The game of a tournament, from a list that a project can add to. */
export function GameField({
  projectId,
  games,
  onAdd,
}: {
  projectId: string;
  games: Game[];
  onAdd: (game: Game) => void;
}) {
  const { control, setValue } = useFormContext<FormValues>();
  const [adding, setAdding] = useState(false);
  return (
    <SettingField name="game" required>
      {(locked) => (
        <>
          <div className="flex gap-2">
            <div className="min-w-0 flex-1">
              <Controller
                control={control}
                name="game"
                render={({ field }) => (
                  <Combobox
                    value={field.value || undefined}
                    onValueChange={field.onChange}
                    options={games.map((game) => ({ value: game.id, label: game.name, keywords: [game.id] }))}
                    placeholder="Choose a game"
                    searchPlaceholder="Search games"
                    empty="No matching games. Add it with the button beside the list."
                    disabled={locked}
                  />
                )}
              />
            </div>
            {locked ? null : (
              <Button icon={<Plus aria-hidden />} aria-label="Add a game" size="icon" onClick={() => setAdding(true)} />
            )}
          </div>
          {adding ? (
            <AddGameDialog
              projectId={projectId}
              onClose={() => setAdding(false)}
              onAdded={(game) => {
                onAdd(game);
                setValue('game', game.id, { shouldDirty: true, shouldValidate: true });
                setAdding(false);
              }}
            />
          ) : null}
        </>
      )}
    </SettingField>
  );
}

function AddGameDialog({
  projectId,
  onClose,
  onAdded,
}: {
  projectId: string;
  onClose: () => void;
  onAdded: (game: Game) => void;
}) {
  const trpc = useTRPC();
  const [name, setName] = useState('');
  const create = useMutation(
    trpc.tournaments.createGame.mutationOptions({
      onSuccess: (game) => {
        toastSuccess(`${game.name} added`);
        onAdded(game);
      },
    }),
  );
  const failure = create.error ? readError(create.error) : null;
  const ofName =
    failure?.issues.find(({ path }) => path === 'name')?.message ??
    (failure?.reason === 'GAME_EXISTS' ? failure.message : undefined);

  function submit(event: FormEvent) {
    event.preventDefault();
    // A dialog's events reach the form around it in React's tree.
    event.stopPropagation();
    if (!create.isPending) create.mutate({ projectId, name });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !create.isPending && onClose()}
      title="Add a game"
      description="For your project only. Use it for a game that is not in the list."
      footer={
        <>
          <DialogClose>
            <Button disabled={create.isPending}>Cancel</Button>
          </DialogClose>
          <Button type="submit" form={formId} variant="primary" loading={create.isPending}>
            Add game
          </Button>
        </>
      }
    >
      <Form id={formId} className="grid grid-cols-1 gap-4" onSubmit={submit}>
        <FormError error={ofName ? null : failure} />
        <Field label="Name of the game" required error={ofName}>
          <Input
            autoFocus
            value={name}
            maxLength={80}
            autoComplete="off"
            onChange={(event) => {
              setName(event.target.value);
              create.reset();
            }}
          />
        </Field>
      </Form>
    </Dialog>
  );
}
