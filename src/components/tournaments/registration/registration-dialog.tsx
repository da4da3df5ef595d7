'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { FormProvider } from 'react-hook-form';
import { captainedTeamsInput } from '@/components/teams/queries';
import type { Player } from '@/components/tournaments/public/action-bar';
import { usePlayerActions } from '@/components/tournaments/public/use-player-actions';
import { QuestionFields } from '@/components/tournaments/registration/question-fields';
import {
  initialValues,
  type RegistrationValues,
  registrationSchema,
  rosterFieldNames,
  toAnswers,
  toRosterInput,
  withPlacesOfGuests,
} from '@/components/tournaments/registration/registration-form';
import { RosterFields } from '@/components/tournaments/registration/roster-fields';
import type { Registration, RegistrationForm, Tournament } from '@/components/tournaments/use-tournament';
import { Button } from '@/components/ui/form/button';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { useForm } from '@/components/ui/form/use-form';
import { Dialog } from '@/components/ui/overlay/dialog';
import { ErrorNote } from '@/components/ui/page/error-state';
import { SkeletonText } from '@/components/ui/page/skeleton';
import { useTRPC } from '@/trpc/client';
import { type ReadError, readError } from '@/trpc/errors';
import type { Outputs } from '@/trpc/outputs';

const formId = 'register';
type Team = Outputs['teams']['read'];

type Props = {
  tournament: Tournament;
  player: Player;
  /** The registration to edit; null for a new one. */
  registration: Registration | null;
  label: string;
  onClose: () => void;
};

/** The form, the viewer's teams and the preselected team, with the loading state. */
function useRegistrationFormData({ tournament, registration }: Props) {
  const trpc = useTRPC();
  const withTeams = tournament.teamSize > 1;
  const form = useQuery(trpc.participants.form.queryOptions({ tournamentId: tournament.slug }));
  const mine = useQuery(trpc.teams.mine.queryOptions(captainedTeamsInput, { enabled: withTeams }));
  const teams = mine.data?.items ?? [];
  const teamId = registration
    ? teams.find(({ id }) => id === registration.teamId)?.id
    : (teams.find(({ memberCount }) => memberCount >= tournament.rosterMin) ?? teams[0])?.id;
  const team = useQuery(trpc.teams.read.queryOptions({ teamId: teamId ?? '' }, { enabled: Boolean(teamId) }));
  const isLoading = (withTeams && mine.isPending) || (Boolean(teamId) && team.isPending);
  return {
    form: form.data,
    teams,
    // Without a team, players can still be registered by their IDs.
    team: team.data ?? null,
    isReady: Boolean(form.data) && !isLoading,
    error: form.error,
    refetch: form.refetch,
  };
}

/** Asks for the team and the organizer's questions, then creates or edits the registration. */
export function RegistrationDialog(props: Props) {
  const { tournament, registration, onClose } = props;
  const { form, team, teams, isReady, error, refetch } = useRegistrationFormData(props);
  const title = registration ? 'Edit your registration' : tournament.teamSize > 1 ? 'Register your team' : 'Register';
  if (form && isReady) {
    const own = withPlacesOfGuests(form, registration);
    return <RegistrationFormDialog {...props} title={title} form={own} team={team} teams={teams} />;
  }
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title} description={<bdi>{tournament.name}</bdi>}>
      {error ? (
        <ErrorNote {...readError(error)} action={<Button onClick={() => void refetch()}>Try again</Button>} />
      ) : (
        <div role="status" aria-label="Loading the form" className="grid gap-4 py-2">
          <SkeletonText lines={5} />
        </div>
      )}
    </Dialog>
  );
}

function RegistrationFormDialog({
  tournament,
  player,
  registration,
  label,
  title,
  form: description,
  team,
  teams,
  onClose,
}: Props & { title: string; form: RegistrationForm; team: Team | null; teams: { id: string; name: string }[] }) {
  const form = useForm<RegistrationValues>({
    resolver: zodResolver(registrationSchema(description)),
    // Validating on blur would move the fields below while the viewer reaches for them.
    mode: 'onSubmit',
    // Not every control can be focused by the form: `useFirstFault` finds the first, whatever it is.
    shouldFocusError: false,
    defaultValues: initialValues(description, player, { registration, team }),
  });
  const rosterRows = form.watch('teamMembers');
  const { formError, showError, clearError } = useFormErrors(form, rosterFieldNames(rosterRows));
  const { register, edit, refetchRegistration } = usePlayerActions(tournament.slug);
  // The version the form started from: saving over someone else's change must fail first.
  const [base, setBase] = useState(registration);
  const busy = register.isPending || edit.isPending;
  useFocusFirstError(form.formState.submitCount, formError);
  const limits = description.team;
  const lockedRoster = registration !== null && !registration.canEditRoster;

  const submit = form.handleSubmit((values) => {
    clearError();
    const { teamId, teamName, teamMembers } = values;
    const answers = toAnswers(description.fields, values.customFields);
    const { slug: tournamentId } = tournament;
    const callbacks = {
      onSuccess: onClose,
      onError: async (error: unknown) => {
        // The error says that the registration changed; the next attempt may overwrite it.
        if (readError(error).reason === 'VERSION_MISMATCH') setBase(await refetchRegistration());
        showError(error);
      },
    };
    if (base) {
      // Answers that are empty now are deleted.
      const clearedAnswers = Object.fromEntries(description.fields.map(({ key }) => [key, null]));
      const team = limits ? { teamName, ...(lockedRoster ? {} : { teamMembers: toRosterInput(teamMembers) }) } : {};
      const customFields = { ...clearedAnswers, ...answers };
      edit.mutate({ tournamentId, customFields, ...team, version: base.version }, callbacks);
    } else {
      const team = limits ? { teamName, teamMembers: toRosterInput(teamMembers), teamId: teamId || undefined } : {};
      register.mutate({ tournamentId, customFields: answers, ...team }, callbacks);
    }
  });

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !busy) onClose();
      }}
      title={title}
      description={<bdi>{tournament.name}</bdi>}
      footer={
        <Button type="submit" form={formId} variant="primary" loading={busy} className="max-sm:flex-1">
          {label}
        </Button>
      }
    >
      <FormProvider {...form}>
        <Form id={formId} onSubmit={submit} className="grid grid-cols-1 gap-5">
          <FormError error={formError} />
          <Notes form={description} registration={registration} />
          {limits ? (
            <RosterFields
              limits={limits}
              player={player}
              teams={teams}
              isFixed={registration !== null}
              isLocked={lockedRoster}
            />
          ) : null}
          <QuestionFields definitions={description.fields} />
        </Form>
      </FormProvider>
    </Dialog>
  );
}

/** Scrolls to the first error and focuses it when the form fails to submit. */
function useFocusFirstError(submitCount: number, refusal: ReadError | null) {
  useEffect(() => {
    if (submitCount === 0 && !refusal) return;
    const firstError = document.querySelector<HTMLElement>(`#${formId} :is([role="alert"], [aria-invalid="true"])`);
    firstError?.scrollIntoView({ block: 'center' });
    firstError?.focus({ preventScroll: true });
  }, [submitCount, refusal]);
}

/** Notes for the viewer above the form. */
function Notes({ form, registration }: { form: RegistrationForm; registration: Registration | null }) {
  const notes: [key: string, text: ReactNode][] = [];
  if (registration && registration.customFieldsVersion < form.currentCustomFieldsVersion) {
    notes.push(['questions', 'The organizer changed the questions after you answered. Review your answers.']);
  }
  if (registration && form.team && !registration.canEditRoster) {
    notes.push(['roster', 'The roster is locked. Ask the organizer for a substitute if someone cannot play.']);
  }
  if (!registration && form.outcome === 'pending')
    notes.push(['approval', 'The organizer approves each registration.']);
  return notes.map(([key, text]) => (
    <p key={key} className="rounded border bg-sunken px-3 py-2 text-muted">
      {text}
    </p>
  ));
}
