import { Plus } from 'lucide-react';
import { ButtonLink } from '@/components/ui/form/button';
import { EmptyState } from '@/components/ui/page/empty-state';

/** For whoever may create tournaments in the project. */
export function NewTournamentLink({ projectSlug }: { projectSlug: string }) {
  return (
    <ButtonLink href={`/dashboard/${projectSlug}/tournaments/new`} variant="primary" icon={<Plus aria-hidden />}>
      New tournament
    </ButtonLink>
  );
}

/** A project before its first tournament. */
export function NoTournaments({ projectSlug, mayCreate }: { projectSlug: string; mayCreate: boolean }) {
  return (
    <EmptyState
      title="No tournaments yet"
      action={mayCreate ? <NewTournamentLink projectSlug={projectSlug} /> : undefined}
    >
      {mayCreate
        ? 'Name, game, start and number of entrants are enough for a first draft. Nobody sees it before you publish.'
        : 'An organizer of this project can create one.'}
    </EmptyState>
  );
}
