'use client';

import type { ReactNode } from 'react';
import { RegistrationRow } from '@/components/participants/registration-row';
import { useLiveRegistrations } from '@/components/participants/use-live-registrations';
import {
  type MyEntry,
  type MyRegistrationsInput,
  useMyRegistrations,
} from '@/components/participants/use-my-registrations';
import { cn } from '@/components/ui/cn';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { EmptyState } from '@/components/ui/page/empty-state';
import { ErrorState } from '@/components/ui/page/error-state';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { pathWith } from '@/domain/navigation/return-path';
import { readError } from '@/trpc/errors';

/** The viewer's registrations, one page of them: what waits for them now, then `asked` (what others ask of them), then the rest. */
export function MyRegistrations({ input, asked }: { input: MyRegistrationsInput; asked?: ReactNode }) {
  const { entries, data, error, isPlaceholderData, refetch } = useMyRegistrations(input);
  useLiveRegistrations();
  const { when, page, limit } = input;

  const list = (label: string, items: MyEntry[]) => (
    <ul aria-label={label} className="overflow-hidden rounded border bg-surface">
      {items.map((entry) => (
        <RegistrationRow key={entry.registration.id} entry={entry} input={input} />
      ))}
    </ul>
  );

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
  const due = when === 'current' ? entries.filter(({ state }) => state.mustCheckIn || state.mustUpdateAnswers) : [];
  const rest = entries.filter((entry) => !due.includes(entry));
  return (
    <div
      aria-busy={isPlaceholderData}
      className={cn('grid grid-cols-1 gap-8 transition-opacity', isPlaceholderData && 'opacity-60')}
    >
      {due.length > 0 ? (
        <section aria-labelledby="due" className="grid grid-cols-1 gap-3">
          <h2 id="due" className="display text-xl">
            To do now
          </h2>
          {list('To do now', due)}
        </section>
      ) : null}
      {asked}
      {entries.length === 0 ? <EmptyRegistrations when={when} /> : null}
      {rest.length > 0 ? (
        <section aria-labelledby="rest" className="grid grid-cols-1 gap-3">
          <h2 id="rest" className={when === 'past' ? 'sr-only' : 'display text-xl'}>
            {when === 'past' ? 'Past' : 'Coming up'}
          </h2>
          <div>
            {list(when === 'past' ? 'Past' : 'Coming up', rest)}
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
        </section>
      ) : null}
    </div>
  );
}

function EmptyRegistrations({ when }: { when: 'current' | 'past' }) {
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
