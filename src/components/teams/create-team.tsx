'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { TeamFields, type TeamInput, type TeamValues } from '@/components/teams/team-fields';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { useForm } from '@/components/ui/form/use-form';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { teamForm } from '@/domain/teams/forms';
import { useTRPC } from '@/trpc/client';

/** Creates a team and opens its page, where the captain invites players. */
export function CreateTeam() {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const form = useForm<TeamInput, unknown, TeamValues>({
    resolver: zodResolver(teamForm),
    mode: 'onTouched',
    defaultValues: { name: '', tag: '' },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const create = useMutation(
    trpc.teams.create.mutationOptions({
      onMutate: clearError,
      onError: showError,
      onSuccess: async (team) => {
        await queryClient.invalidateQueries({ queryKey: trpc.teams.mine.pathKey() });
        toastSuccess(`${team.name} is ready`, 'Now invite your players.');
        router.push(`/teams/${team.id}`);
      },
    }),
  );
  return (
    <Form className="grid max-w-lg gap-5" onSubmit={form.handleSubmit((values) => create.mutate(values))}>
      <FormError error={formError} />
      <TeamFields form={form} />
      <div className="flex justify-end gap-3">
        <ButtonLink href="/teams">Cancel</ButtonLink>
        <Button type="submit" variant="primary" loading={create.isPending || create.isSuccess}>
          Create team
        </Button>
      </div>
    </Form>
  );
}
