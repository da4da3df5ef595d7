'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import { teamRegistrationsInput } from '@/components/teams/queries';
import { DayBlock } from '@/components/tournaments/list/day-block';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { Pagination } from '@/components/ui/navigation/pagination';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { useTRPC } from '@/trpc/client';

/** The public tournaments a team has registered for, the latest start first. */
export function TeamRegistrations({ teamId }: { teamId: string }) {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const list = useQuery({
    ...trpc.participants.ofTeam.queryOptions({ ...teamRegistrationsInput(teamId), page }),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-labelledby="team-registrations" className="grid grid-cols-1 content-start gap-3">
      <h2 id="team-registrations" className="display text-xl">
        Tournaments
      </h2>
      {list.isPending ? (
        <SkeletonTable rows={3} label="Loading tournaments" />
      ) : list.isError ? (
        <QueryError title="The tournaments could not be loaded" query={list} />
      ) : list.data.total === 0 ? (
        <p className="text-muted">
          None yet. The captain can register the team on the page of a{' '}
          <Link href="/tournaments?phase=open" className="text-accent underline underline-offset-4">
            tournament
          </Link>
          .
        </p>
      ) : (
        <div>
          <ul className="divide-y overflow-hidden rounded border bg-surface">
            {list.data.items.map(({ participantId, name, status, tournament }) => (
              <li key={participantId} className="relative flex items-center gap-4 px-4 py-3 hover:bg-hover sm:px-5">
                <DayBlock value={tournament.startDate} organizerZone={tournament.timezone} />
                <div className="grid min-w-0 flex-1">
                  <Link
                    href={`/tournaments/${tournament.slug}`}
                    className="display line-clamp-2 text-lg wrap-anywhere after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
                  >
                    <bdi>{tournament.name}</bdi>
                  </Link>
                  <p className="text-muted">
                    {tournament.gameName}, as <bdi>{name}</bdi>
                  </p>
                  <p className="mt-1.5">
                    {tournament.status === 'CANCELLED' ? (
                      <StatusBadge kind="tournament" status="CANCELLED" />
                    ) : (
                      <StatusBadge kind="participant" status={status} />
                    )}
                  </p>
                </div>
              </li>
            ))}
          </ul>
          <Pagination page={page} limit={list.data.limit} total={list.data.total} onPage={setPage} noun="tournaments" />
        </div>
      )}
    </section>
  );
}
