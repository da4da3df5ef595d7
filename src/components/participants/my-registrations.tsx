'use client';

import { EntryRow } from '@/components/participants/entry-row';
import { useLiveEntries } from '@/components/participants/use-live-entries';
import { type MyRegistrationsInput, useCheckIn, useMyEntries } from '@/components/participants/use-my-registrations';
import { Button, ButtonLink } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { EmptyState } from '@/components/ui/empty-state';
import { ErrorState } from '@/components/ui/error-state';
import { Pagination } from '@/components/ui/pagination';
import { SkeletonTable } from '@/components/ui/skeleton';
import { pathWith } from '@/lib/return-path';
import { readError } from '@/trpc/errors';

/** The viewer's registrations, one page of them. */
export function MyRegistrations({ input }: { input: MyRegistrationsInput }) {
  const { entries, data, error, isPlaceholderData, refetch } = useMyEntries(input);
  const checkIn = useCheckIn(input);
  useLiveEntries();
  const { when, page, limit } = input;

  if (!data) {
    if (!error) return <SkeletonTable rows={4} label="Loading your tournaments" />;
    return (
      <ErrorState
        title="Your tournaments could not be shown"
        {...readError(error)}
        action={<Button onClick={() => void refetch()}>Try again</Button>}
      />
    );
  }
  if (entries.length === 0) return <Nothing when={when} />;
  return (
    <div aria-busy={isPlaceholderData} className={cn('transition-opacity', isPlaceholderData && 'opacity-60')}>
      <ul aria-label={when === 'past' ? 'Past' : 'Current'} className="overflow-hidden rounded border bg-surface">
        {entries.map((entry) => (
          <EntryRow
            key={entry.registration.id}
            entry={entry}
            level={2}
            checkingIn={checkIn.isPending && checkIn.variables.tournamentId === entry.registration.tournamentId}
            onCheckIn={() => checkIn.mutate({ tournamentId: entry.registration.tournamentId })}
          />
        ))}
      </ul>
      <Pagination
        page={page}
        limit={limit}
        total={data.total}
        noun="registrations"
        href={(to) =>
          pathWith('/me', { when: when === 'past' ? 'past' : undefined, page: to > 1 ? String(to) : undefined })
        }
      />
    </div>
  );
}

function Nothing({ when }: { when: 'current' | 'past' }) {
  if (when === 'past') {
    return <EmptyState title="Nothing here yet">What you have played, cancelled or missed is kept here.</EmptyState>;
  }
  return (
    <EmptyState
      title="You are in no tournament"
      action={
        <ButtonLink href="/tournaments?phase=open" variant="primary">
          Find one to enter
        </ButtonLink>
      }
    >
      Register for one, and what you must do next appears here: check in, by when, and where you stand in the queue.
    </EmptyState>
  );
}
