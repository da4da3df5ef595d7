'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { FormProvider, useForm } from 'react-hook-form';
import type { Player } from '@/components/tournaments/action-bar';
import { CustomFields } from '@/components/tournaments/custom-fields';
import { answersOf, emptyValues, type RegisterValues, registerForm } from '@/components/tournaments/register-form';
import { RosterFields } from '@/components/tournaments/roster-fields';
import { usePlayerActions } from '@/components/tournaments/use-player-actions';
import type { Tournament } from '@/components/tournaments/use-tournament';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { FormError, useFormErrors } from '@/components/ui/form-error';

const formId = 'register';

/** Asks for the team and for what the organizer wants to know, then registers. */
export function RegisterDialog({
  tournament,
  player,
  label,
  onClose,
}: {
  tournament: Tournament;
  player: Player;
  label: string;
  onClose: () => void;
}) {
  const team = tournament.teamSize > 1;
  const form = useForm<RegisterValues>({
    resolver: zodResolver(registerForm(tournament)),
    // An error that appears as a field is left moves what is below it away from under the finger.
    mode: 'onSubmit',
    defaultValues: emptyValues(tournament, player.id),
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const { register } = usePlayerActions(tournament.slug);

  const submit = form.handleSubmit((values) => {
    clearError();
    const { teamName, teamMembers } = values;
    register.mutate(
      {
        tournamentId: tournament.slug,
        customFields: answersOf(tournament.customFields, values.customFields),
        ...(team ? { teamName, teamMembers } : {}),
      },
      { onSuccess: onClose, onError: showError },
    );
  });

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !register.isPending) onClose();
      }}
      title={team ? 'Register your team' : 'Register'}
      description={<bdi>{tournament.name}</bdi>}
      footer={
        <Button type="submit" form={formId} variant="primary" loading={register.isPending} className="max-sm:flex-1">
          {label}
        </Button>
      }
    >
      <FormProvider {...form}>
        <form id={formId} noValidate onSubmit={submit} className="grid grid-cols-1 gap-5">
          <FormError error={formError} />
          {team ? <RosterFields tournament={tournament} player={player} /> : null}
          <CustomFields definitions={tournament.customFields} />
        </form>
      </FormProvider>
    </Dialog>
  );
}
