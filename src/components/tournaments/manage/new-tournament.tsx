import { Plus } from 'lucide-react';
import { ButtonLink } from '@/components/ui/form/button';
import { EmptyState } from '@/components/ui/page/empty-state';

/** Link to the form for a new tournament. */
export function NewTournamentLink({ projectSlug }: { projectSlug: string }) {
  return (
    <ButtonLink href={`/dashboard/${projectSlug}/tournaments/new`} variant="primary" icon={<Plus aria-hidden />}>
      New tournament
    </ButtonLink>
  );
}

/** Empty state of a project without tournaments. */
export function NoTournaments({ projectSlug, canCreate }: { projectSlug: string; canCreate: boolean }) {
  return (
    <EmptyState
      title="No tournaments yet"
      action={canCreate ? <NewTournamentLink projectSlug={projectSlug} /> : undefined}
    >
      {canCreate
        ? 'A name, game, start time, and maximum number of participants are enough for a draft. No one sees it until you publish.'
        : 'An organizer of this project can create one.'}
    </EmptyState>
  );
}
