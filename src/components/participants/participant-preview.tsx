'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import Link from 'next/link';
import { ParticipantCards } from '@/components/participants/participant-cards';
import { useTournament } from '@/components/tournaments/use-tournament';
import { ErrorState } from '@/components/ui/page/error-state';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** The first participants, with a link to all of them. */
export function ParticipantPreview({ slug }: { slug: string }) {
  const trpc = useTRPC();
  const tournament = useTournament(slug);
  const { data, error } = useQuery(
    trpc.participants.list.queryOptions({ tournamentId: slug, registrationStatus: ['approved'], limit: 12 }),
  );
  return (
    <section aria-labelledby="participants" className="grid grid-cols-1 gap-3">
      <div className="flex items-baseline justify-between gap-4">
        <h2 id="participants" className="display text-xl">
          Participants
        </h2>
        {data && data.total > data.items.length ? (
          <Link
            href={`/tournaments/${slug}/participants`}
            className="inline-flex items-center gap-1.5 py-1 font-medium text-accent underline-offset-4 hover:underline"
          >
            All {data.total.toLocaleString('en')}
            <ArrowRight aria-hidden className="size-4" />
          </Link>
        ) : null}
      </div>
      {data ? (
        data.items.length > 0 ? (
          <ParticipantCards participants={data.items} label="First participants" />
        ) : (
          <p className="text-muted">
            {tournament.registrationOpen ? 'No participants yet. Be the first to register.' : 'No participants yet.'}
          </p>
        )
      ) : error ? (
        <ErrorState title="The participants could not be loaded" {...readError(error)} />
      ) : (
        <SkeletonTable rows={4} label="Loading participants" />
      )}
    </section>
  );
}
