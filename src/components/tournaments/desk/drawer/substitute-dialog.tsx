'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import type { ParticipantDetail } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { Input, Textarea } from '@/components/ui/form/input';
import { useForm } from '@/components/ui/form/use-form';
import { Dialog, DialogClose } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

const values = z.object({
  substituteUserId: z
    .string()
    .trim()
    .regex(/^usr_\w+$/, 'Enter a player ID. It starts with usr_.'),
  reason: z
    .string()
    .trim()
    .min(1, 'Enter a reason. It is kept in the history.')
    .max(500, 'Use at most 500 characters.'),
});
const formId = 'substitute';

/** Replaces a player on a roster. Suggests team members who are not on it. */
export function SubstituteDialog({
  participant,
  leaving,
  onClose,
  onDone,
}: {
  participant: ParticipantDetail;
  leaving: ParticipantDetail['roster'][number] & { userId: string };
  onClose: () => void;
  onDone: () => void;
}) {
  const trpc = useTRPC();
  const { tournamentId, id: participantId, teamId } = participant;
  const team = useQuery({ ...trpc.teams.read.queryOptions({ teamId: teamId ?? '' }), enabled: teamId !== null });
  const playing = new Set(participant.roster.map(({ userId }) => userId));
  const available = team.data?.members.filter(({ userId }) => !playing.has(userId)) ?? [];
  const form = useForm({
    resolver: zodResolver(values),
    defaultValues: { substituteUserId: '', reason: '' },
    mode: 'onTouched',
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const substitute = useMutation(
    trpc.participants.substitute.mutationOptions({
      onMutate: clearError,
      onError: showError,
      onSuccess: (after) => {
        const substituted = after.roster.find(({ userId }) => !playing.has(userId));
        toastSuccess(`${substituted?.name ?? 'The substitute'} replaced ${leaving.name}`);
        onDone();
      },
    }),
  );
  const { errors } = form.formState;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !substitute.isPending && onClose()}
      title={`Substitute for ${leaving.name}`}
      description={
        leaving.role === 'captain'
          ? 'The substitute becomes the captain and takes over the registration.'
          : 'The substitute takes over their role. They cannot have accepted another roster in this tournament.'
      }
      footer={
        <>
          <DialogClose>
            <Button disabled={substitute.isPending}>Cancel</Button>
          </DialogClose>
          <Button type="submit" form={formId} variant="primary" loading={substitute.isPending}>
            Substitute
          </Button>
        </>
      }
    >
      <Form
        id={formId}
        className="grid gap-5"
        onSubmit={form.handleSubmit((input) =>
          substitute.mutate({ tournamentId, participantId, replacedUserId: leaving.userId, ...input }),
        )}
      >
        <FormError error={formError} />
        {available.length > 0 ? (
          <fieldset className="flex flex-wrap gap-2">
            <legend className="mb-1.5 font-medium">Available team members</legend>
            {available.map(({ userId, name }) => (
              <Button
                key={userId}
                size="sm"
                aria-pressed={form.watch('substituteUserId') === userId}
                className="aria-pressed:border-accent max-md:h-11"
                onClick={() => form.setValue('substituteUserId', userId, { shouldValidate: true })}
              >
                <bdi>{name}</bdi>
              </Button>
            ))}
          </fieldset>
        ) : null}
        <Field
          label="Player ID of the substitute"
          required
          error={errors.substituteUserId?.message}
          hint="Players can find their player ID under My tournaments."
        >
          <Input {...form.register('substituteUserId')} autoComplete="off" spellCheck={false} />
        </Field>
        <Field label="Reason" required error={errors.reason?.message} hint="Kept in the history of the participant.">
          <Textarea rows={2} maxLength={500} {...form.register('reason')} />
        </Field>
      </Form>
    </Dialog>
  );
}
