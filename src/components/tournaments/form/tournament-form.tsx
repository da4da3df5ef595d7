'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { FormProvider } from 'react-hook-form';
import { BasicsSection } from '@/components/tournaments/form/basics-section';
import { type Conflict, ConflictDialog } from '@/components/tournaments/form/conflict-dialog';
import { FormatSection, MoneySection } from '@/components/tournaments/form/format-section';
import type { Game } from '@/components/tournaments/form/game-field';
import { MatchesSection } from '@/components/tournaments/form/matches-section';
import { ParticipantsSection } from '@/components/tournaments/form/participants-section';
import { PreviewSection } from '@/components/tournaments/form/preview-section';
import {
  type QuestionWarnings,
  QuestionWarningsDialog,
} from '@/components/tournaments/form/questions/question-warnings';
import { QuestionsSection } from '@/components/tournaments/form/questions/questions-section';
import { ScheduleSection } from '@/components/tournaments/form/schedule-section';
import { LockProvider, type Locks } from '@/components/tournaments/form/setting-field';
import {
  changedFields,
  copyFormValues,
  defaultValues,
  type FormValues,
  settingsResolver,
  type Tournament,
  toFormValues,
  toSettings,
} from '@/components/tournaments/form/values';
import { tournamentHref } from '@/components/tournaments/manage/tournament-href';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { FormActions } from '@/components/ui/form/form-section';
import { useForm } from '@/components/ui/form/use-form';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { useViewerZone } from '@/components/ui/text/date-time';
import { counted } from '@/domain/text/counted';
import { type EditableField, lockedFields } from '@/domain/tournaments/rules';
import { useTRPC, useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';

type Project = { id: string; slug: string };

const fields = Object.keys(defaultValues('UTC')) as EditableField[];

function lockReasons(tournament: Tournament, hasRegistrations: boolean): Locks {
  const locked = lockedFields(fields, { status: tournament.status, hasRegistrations });
  return Object.fromEntries(locked.map(({ path, message }) => [path, message]));
}

/** Warns before a page with unsaved changes is left. */
function useUnsavedWarning(dirty: boolean) {
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [dirty]);
}

/** Creates a tournament, or edits the one given. */
export function TournamentForm({
  project,
  games: known,
  zone,
  tournament,
  source,
  hasRegistrations = false,
}: {
  project: Project;
  games: Game[];
  /** The organizer's time zone for a new tournament; null uses the browser's. */
  zone: string | null;
  tournament?: Tournament;
  /** The tournament to copy the settings of a new one from. */
  source?: Tournament;
  hasRegistrations?: boolean;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [games, setGames] = useState(known);
  const formRef = useRef<HTMLFormElement>(null);
  const [base, setBase] = useState(tournament ?? null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [warned, setWarned] = useState<{ warnings: QuestionWarnings; version: number } | null>(null);
  const before = base ? toFormValues(base) : null;
  const viewerZone = useViewerZone();
  const form = useForm<FormValues>({
    resolver: settingsResolver(before),
    mode: 'onTouched',
    defaultValues: before ?? (source ? copyFormValues(source) : defaultValues(zone ?? viewerZone)),
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const { isDirty, errors, submitCount, isSubmitSuccessful } = form.formState;
  const { resetField } = form;
  useUnsavedWarning(isDirty && !isSubmitSuccessful);
  useShortcut('Mod+s', tournament ? 'Save changes' : 'Create the tournament', () => formRef.current?.requestSubmit());

  useEffect(() => {
    if (tournament || source || zone) return;
    resetField('timezone', { defaultValue: viewerZone });
  }, [resetField, viewerZone, tournament, source, zone]);

  const create = useMutation(trpc.tournaments.create.mutationOptions({ onMutate: clearError }));
  const update = useMutation(trpc.tournaments.update.mutationOptions({ onMutate: clearError }));

  function showSaveError(error: unknown) {
    showError(error);
    if (readError(error).reason === 'SLUG_TAKEN') {
      form.setError('slug', { message: 'This address is taken. Choose another.' }, { shouldFocus: true });
    }
    if (readError(error).reason === 'CAPACITY_TOO_LOW') {
      form.setError('maxParticipants', { message: readError(error).message }, { shouldFocus: true });
    }
  }

  async function finishSave(saved: Tournament, message: string) {
    await queryClient.invalidateQueries({ queryKey: trpc.tournaments.pathKey() });
    form.reset(toFormValues(saved));
    toastSuccess(message);
    router.push(tournamentHref(project.slug, saved));
    router.refresh();
  }

  /** What changed questions mean for registered participants; empty before publication. */
  async function questionWarnings(
    tournament: Tournament,
    settings: ReturnType<typeof toSettings>,
    changes: EditableField[],
  ) {
    if (!tournament.publishedAt || !changes.includes('customFields')) return [];
    const { customFields } = settings;
    return (await client.tournaments.questions.preview.mutate({ tournamentId: tournament.id, customFields })).warnings;
  }

  async function save(values: FormValues, override?: { version: number; warned?: boolean }) {
    const settings = toSettings(values);
    try {
      if (!base || !before) {
        const { slug, ...rest } = settings;
        const created = await create.mutateAsync({ projectId: project.id, ...rest, ...(slug ? { slug } : {}) });
        return await finishSave(created, `${created.name} was saved as a draft. Publish it when it is ready.`);
      }
      const changes = changedFields(toSettings(before), settings);
      if (changes.length === 0) return await finishSave(base, 'No changes to save');
      const changed = Object.fromEntries(changes.map((field) => [field, settings[field]]));
      const version = override?.version ?? base.version;
      const warnings = override?.warned ? [] : await questionWarnings(base, settings, changes);
      if (warnings.length > 0) {
        setConflict(null);
        return setWarned({ warnings, version });
      }
      const saved = await update.mutateAsync({ tournamentId: base.id, version, ...changed });
      setConflict(null);
      setWarned(null);
      return await finishSave(saved, `${saved.name} was saved`);
    } catch (error) {
      setWarned(null);
      if (base && before && readError(error).reason === 'VERSION_MISMATCH') {
        const latest = await client.tournaments.get.query({ tournamentId: base.id }).catch(() => null);
        if (latest) return openConflict(before, settings, latest);
      }
      setConflict(null);
      showSaveError(error);
    }
  }

  function openConflict(loaded: FormValues, mine: ReturnType<typeof toSettings>, latest: Tournament) {
    const theirs = toSettings(toFormValues(latest));
    setConflict({
      theirs: changedFields(toSettings(loaded), theirs),
      mine: changedFields(toSettings(loaded), mine),
      latest: theirs,
      version: latest.version,
    });
  }

  async function discardMine() {
    if (!base) return;
    const latest = await client.tournaments.get.query({ tournamentId: base.id });
    setBase(latest);
    form.reset(toFormValues(latest));
    setConflict(null);
    toastSuccess('Showing the latest version');
  }

  const errorCount = Object.keys(errors).length;
  const cancelHref = tournament ? tournamentHref(project.slug, tournament) : `/dashboard/${project.slug}/tournaments`;

  return (
    <FormProvider {...form}>
      <LockProvider locks={base ? lockReasons(base, hasRegistrations) : {}}>
        <Form ref={formRef} onSubmit={form.handleSubmit((values) => save(values))}>
          {formError && !['SLUG_TAKEN', 'CAPACITY_TOO_LOW'].includes(formError.reason) ? (
            <div className="mb-6">
              <FormError error={formError} />
            </div>
          ) : null}
          <BasicsSection
            projectId={project.id}
            games={games}
            isNew={!tournament}
            onAddGame={(game) => setGames((list) => [...list, game])}
          />
          <ScheduleSection />
          <ParticipantsSection />
          <FormatSection />
          <MatchesSection />
          <QuestionsSection
            keptKeys={new Set(hasRegistrations ? (base?.customFields ?? []).map(({ key }) => key) : [])}
          />
          <MoneySection />
          <PreviewSection games={games} />
          <FormActions
            note={
              submitCount > 0 && errorCount > 0 ? (
                <span role="status" className="text-danger">
                  {counted(errorCount, 'setting needs', 'settings need')} your attention.
                </span>
              ) : tournament ? null : (
                'A new tournament is a draft that only project members can see.'
              )
            }
          >
            <ButtonLink href={cancelHref}>Cancel</ButtonLink>
            <Button type="submit" variant="primary" loading={create.isPending || update.isPending}>
              {tournament ? 'Save changes' : 'Create draft'}
            </Button>
          </FormActions>
        </Form>
      </LockProvider>
      <ConflictDialog
        conflict={conflict}
        saving={update.isPending}
        onClose={() => setConflict(null)}
        onKeepMine={(against) => void save(form.getValues(), { version: against.version })}
        onTakeTheirs={() => void discardMine()}
      />
      <QuestionWarningsDialog
        warnings={warned?.warnings ?? null}
        saving={update.isPending}
        onClose={() => setWarned(null)}
        onSave={() => warned && void save(form.getValues(), { version: warned.version, warned: true })}
      />
    </FormProvider>
  );
}
