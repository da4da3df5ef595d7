'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Controller } from 'react-hook-form';
import { TokenDialog } from '@/components/settings/anti-cheat/token-dialog';
import { Button } from '@/components/ui/form/button';
import { Combobox } from '@/components/ui/form/combobox';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { Select } from '@/components/ui/form/select';
import { useForm } from '@/components/ui/form/use-form';
import { Dialog } from '@/components/ui/overlay/dialog';
import { QueryError } from '@/components/ui/page/query-error';
import { enrollForm } from '@/domain/anticheat/forms';
import { type AntiCheatGame, antiCheatGameNames, antiCheatGames } from '@/domain/anticheat/games';
import { useTRPC } from '@/trpc/client';

const formId = 'enroll-client';
const anyGame = 'any';
const games = [
  { value: anyGame, label: 'Any game' },
  ...antiCheatGames.map((game) => ({ value: game, label: antiCheatGameNames[game] })),
];

/** Enrolls a client and shows its token once. `linkedProjectId` is the project whose page led here. */
export function EnrollDialog({
  linkedProjectId,
  onClose,
}: {
  linkedProjectId: string | undefined;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const own = useQuery(trpc.antiCheat.clients.projects.queryOptions({ limit: 100 }));
  const linked = useQuery(
    trpc.antiCheat.clients.projects.queryOptions(
      { projectId: linkedProjectId },
      { enabled: linkedProjectId !== undefined },
    ),
  );
  const known = new Map([...(linked.data?.items ?? []), ...(own.data?.items ?? [])].map((one) => [one.id, one]));
  const projects = [...known.values()].map(({ id, name, required }) => ({
    value: id,
    label: name,
    hint: required ? 'Required' : undefined,
  }));
  const form = useForm({
    resolver: zodResolver(enrollForm),
    mode: 'onTouched',
    defaultValues: { projectId: linkedProjectId ?? '', game: null as AntiCheatGame | null, deviceName: '' },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const enroll = useMutation(
    trpc.antiCheat.clients.enroll.mutationOptions({
      onMutate: clearError,
      onError: showError,
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.antiCheat.clients.pathKey() }),
    }),
  );
  const submit = form.handleSubmit(({ projectId, game, deviceName }) =>
    enroll.mutate({ projectId, game: game ?? undefined, deviceName: deviceName || undefined }),
  );

  if (enroll.data) return <TokenDialog title="Client enrolled" token={enroll.data.clientToken} onClose={onClose} />;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Enroll a client"
      description="One for each computer you play on and each project you play in."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={enroll.isPending}>
            Enroll client
          </Button>
        </>
      }
    >
      <Form id={formId} onSubmit={submit} className="grid gap-5">
        <FormError error={formError} />
        {own.error ? <QueryError title="Your projects could not be loaded" query={own} /> : null}
        <Controller
          control={form.control}
          name="projectId"
          render={({ field, fieldState }) => (
            <Field
              label="Project"
              required
              error={fieldState.error?.message}
              hint="The organizer that asks for the client. Projects you play in are listed."
            >
              <Combobox
                // Until its name is known, the project of the link is not shown by its id.
                value={known.has(field.value) ? field.value : undefined}
                onValueChange={field.onChange}
                options={projects}
                placeholder={own.isPending ? 'Loading' : 'Choose'}
                searchPlaceholder="Search projects"
                empty="You do not play in any project yet. Register for a tournament first."
              />
            </Field>
          )}
        />
        <Controller
          control={form.control}
          name="game"
          render={({ field }) => (
            <Field label="Game" required>
              <Select
                value={field.value ?? anyGame}
                onValueChange={(value) => field.onChange(value === anyGame ? null : value)}
                options={games}
              />
            </Field>
          )}
        />
        <Field
          label="Device"
          error={form.formState.errors.deviceName?.message}
          hint="So that you can tell your computers apart. Project staff can see it."
        >
          <Input {...form.register('deviceName')} placeholder="Desk at home" autoComplete="off" maxLength={80} />
        </Field>
      </Form>
    </Dialog>
  );
}
