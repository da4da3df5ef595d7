'use client';

import type { ReactNode } from 'react';
import { RegistrationRow } from '@/components/participants/registration-row';
import { useLiveRegistrations } from '@/components/participants/use-live-registrations';
import {
  type MyRegistration,
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

const isDue = ({ state }: MyRegistration) => state.mustCheckIn || state.mustUpdateAnswers || state.mustAccept;

/** One page of the viewer's registrations: those that need action, then `invitations`, then the others. */
export function MyRegistrations({ input, invitations }: { input: MyRegistrationsInput; invitations?: ReactNode }) {
  const { registrations, data, error, isPlaceholderData, refetch } = useMyRegistrations(input);
  useLiveRegistrations();
  const { when, page } = input;

  const list = (label: string, items: MyRegistration[]) => (
    <ul aria-label={label} className="overflow-hidden rounded border bg-surface">
      {items.map((item) => (
        <RegistrationRow key={item.registration.id} item={item} input={input} />
      ))}
    </ul>
  );

  if (!data) {
    if (!error) return <SkeletonTable rows={4} label="Loading your tournaments" />;
    return (
      <ErrorState
        title="Your tournaments could not be loaded"
        {...readError(error)}
        action={<Button onClick={() => void refetch()}>Try again</Button>}
      />
    );
  }
  const due = when === 'current' ? registrations.filter(isDue) : [];
  const rest = registrations.filter((item) => !due.includes(item));
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
      {invitations}
      {registrations.length === 0 ? <EmptyRegistrations when={when} /> : null}
      {rest.length > 0 ? (
        <section aria-labelledby="rest" className="grid grid-cols-1 gap-3">
          <h2 id="rest" className={when === 'past' ? 'sr-only' : 'display text-xl'}>
            {when === 'past' ? 'Past' : 'Upcoming'}
          </h2>
          <div>
            {list(when === 'past' ? 'Past' : 'Upcoming', rest)}
            <Pagination
              page={page}
              limit={data.limit}
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
    return (
      <EmptyState title="No past tournaments">Tournaments you played, cancelled, or missed are listed here.</EmptyState>
    );
  }
  return (
    <EmptyState
      title="No upcoming tournaments"
      action={
        <ButtonLink href="/tournaments?phase=open" variant="primary">
          Find a tournament
        </ButtonLink>
      }
    >
      Register for a tournament, and your next steps appear here: when to check in and your position on the waitlist.
    </EmptyState>
  );
}
