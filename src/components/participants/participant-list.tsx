'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { ParticipantCards } from '@/components/participants/participant-cards';
import { participantListInput } from '@/components/participants/participant-list-input';
import { useTournament } from '@/components/tournaments/use-tournament';
import { cn } from '@/components/ui/cn';
import { Button } from '@/components/ui/form/button';
import { SearchInput } from '@/components/ui/form/search-input';
import { Pagination } from '@/components/ui/navigation/pagination';
import { EmptyState } from '@/components/ui/page/empty-state';
import { ErrorState } from '@/components/ui/page/error-state';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { pathWith } from '@/domain/navigation/return-path';
import { countParticipants } from '@/domain/tournaments/words';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** The approved participants, with search and pages kept in the address. */
export function ParticipantList({ slug }: { slug: string }) {
  const trpc = useTRPC();
  const tournament = useTournament(slug);
  const pathname = usePathname();
  const params = useSearchParams();
  const [typed, setTyped] = useState(params.get('q') ?? '');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const input = participantListInput(slug, params.get('q'), params.get('page'));
  const { data, error, isPlaceholderData, refetch } = useQuery(
    trpc.participants.list.queryOptions(input, { placeholderData: keepPreviousData }),
  );
  const href = (q: string, page: number) =>
    pathWith(pathname, { q: q.trim() || undefined, page: page > 1 ? String(page) : undefined });

  function search(text: string) {
    setTyped(text);
    clearTimeout(timer.current);
    // Changes the address without navigating: only the query below fetches again.
    timer.current = setTimeout(() => window.history.replaceState(null, '', href(text, 1)), 250);
  }

  const { teamSize, waitlistedParticipants } = tournament;
  return (
    <section aria-labelledby="participants" className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div>
          <h2 id="participants" className="display text-xl">
            Participants
          </h2>
          <p role="status" className="numerals text-muted">
            {data ? countParticipants(data.total, teamSize) : ' '}
            {input.search ? ' found' : null}
            {waitlistedParticipants > 0
              ? `, ${waitlistedParticipants.toLocaleString('en')} more on the waitlist`
              : null}
          </p>
        </div>
        <SearchInput label="Search participants" value={typed} onSearch={search} className="w-full sm:w-64" />
      </div>
      {data ? (
        <div aria-busy={isPlaceholderData} className={cn('transition-opacity', isPlaceholderData && 'opacity-60')}>
          {data.items.length > 0 ? (
            <ParticipantCards participants={data.items} label="Participants" questions={tournament.customFields} />
          ) : (
            <EmptyParticipants search={input.search} outOfRange={data.total > 0} onShowAll={() => search('')} />
          )}
          <Pagination
            page={input.page}
            limit={data.limit}
            total={data.total}
            noun={teamSize > 1 ? 'teams' : 'players'}
            href={(page) => href(typed, page)}
          />
        </div>
      ) : error ? (
        <ErrorState
          title="The participants could not be loaded"
          {...readError(error)}
          action={<Button onClick={() => void refetch()}>Try again</Button>}
        />
      ) : (
        <SkeletonTable rows={12} label="Loading participants" />
      )}
    </section>
  );
}

function EmptyParticipants({
  search,
  outOfRange,
  onShowAll,
}: {
  search?: string;
  outOfRange: boolean;
  onShowAll: () => void;
}) {
  if (search || outOfRange) {
    return (
      <EmptyState
        title={outOfRange ? 'This page does not exist' : `No results for “${search}”`}
        action={<Button onClick={onShowAll}>Show all participants</Button>}
      />
    );
  }
  return <EmptyState title="No participants yet">Approved participants are listed here.</EmptyState>;
}
