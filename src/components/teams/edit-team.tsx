'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { TeamFields, type TeamInput, type TeamValues } from '@/components/teams/team-fields';
import { type Team, useTeamActions } from '@/components/teams/use-team';
import { Button } from '@/components/ui/form/button';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { useForm } from '@/components/ui/form/use-form';
import { Dialog } from '@/components/ui/overlay/dialog';
import { teamForm } from '@/domain/teams/forms';

/** Edits a team's name and tag; fails if someone else has saved since the page loaded. */
export function EditTeam({ team, onClose }: { team: Team; onClose: () => void }) {
  const form = useForm<TeamInput, unknown, TeamValues>({
    resolver: zodResolver(teamForm),
    mode: 'onTouched',
    defaultValues: { name: team.name, tag: team.tag ?? '' },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const { rename } = useTeamActions(team);

  const submit = form.handleSubmit(async (values) => {
    clearError();
    try {
      await rename(values);
      onClose();
    } catch (error) {
      showError(error);
    }
  });

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.formState.isSubmitting) onClose();
      }}
      title="Name and tag"
      description="Tournaments the team has already registered for keep the old name."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="edit-team" variant="primary" loading={form.formState.isSubmitting}>
            Save
          </Button>
        </>
      }
    >
      <Form id="edit-team" className="grid gap-5" onSubmit={submit}>
        <FormError error={formError} />
        <TeamFields form={form} />
      </Form>
    </Dialog>
  );
}
