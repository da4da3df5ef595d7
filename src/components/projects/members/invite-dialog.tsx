'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Controller } from 'react-hook-form';
import type { z } from 'zod';
import { Button } from '@/components/ui/form/button';
import { RadioCards } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { useForm } from '@/components/ui/form/use-form';
import { Dialog } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { invitationForm, invitationLifetime } from '@/domain/projects/invitations';
import { grantableRoles } from '@/domain/projects/permissions';
import { type ProjectRole, roleDescription, roleWords } from '@/domain/projects/roles';
import { durationInWords } from '@/domain/time/durations';
import { useTRPC } from '@/trpc/client';

/** Emails someone an invitation to the project. */
export function InviteDialog({
  open,
  onOpenChange,
  project,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  project: { id: string; name: string; role: ProjectRole };
}) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const form = useForm<z.infer<typeof invitationForm>>({
    resolver: zodResolver(invitationForm),
    mode: 'onTouched',
    defaultValues: { email: '', role: 'ORGANIZER' },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  function change(next: boolean) {
    onOpenChange(next);
    if (next) return;
    form.reset();
    clearError();
  }
  const invite = useMutation(
    trpc.projects.invitations.create.mutationOptions({
      onMutate: clearError,
      onError: showError,
      onSuccess: async (invitation) => {
        await queryClient.invalidateQueries({ queryKey: trpc.projects.invitations.pathKey() });
        toastSuccess(
          `Invited ${invitation.email}`,
          `The link in the email is valid for ${durationInWords(invitationLifetime)}.`,
        );
        change(false);
      },
    }),
  );
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={`Invite someone to ${project.name}`}
      description={`They get an email with a link that is valid for ${durationInWords(invitationLifetime)} and for that address only.`}
      footer={
        <>
          <Button onClick={() => change(false)}>Cancel</Button>
          <Button type="submit" form="invite" variant="primary" loading={invite.isPending}>
            Send invitation
          </Button>
        </>
      }
    >
      <Form
        id="invite"
        className="grid gap-5"
        onSubmit={form.handleSubmit((values) => invite.mutate({ projectId: project.id, ...values }))}
      >
        <FormError error={formError} />
        <Field label="Email address" required error={form.formState.errors.email?.message}>
          <Input type="email" autoComplete="off" placeholder="name@example.com" {...form.register('email')} />
        </Field>
        <Controller
          control={form.control}
          name="role"
          render={({ field, fieldState }) => (
            <Field label="Role" required group error={fieldState.error?.message}>
              <RadioCards
                columns={1}
                value={field.value}
                onValueChange={field.onChange}
                options={grantableRoles(project.role).map((role) => ({
                  value: role,
                  label: roleWords[role].name,
                  hint: roleDescription(role),
                }))}
              />
            </Field>
          )}
        />
      </Form>
    </Dialog>
  );
}
