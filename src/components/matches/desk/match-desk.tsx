'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MatchRow } from '@/components/matches/desk/match-row';
import { deskSections, listedMatches, type Section } from '@/components/matches/desk/sections';
import { useServerNow } from '@/components/tournaments/use-server-now';
import { Button } from '@/components/ui/form/button';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';

const firstShown = 20;

/** The matches of a running or completed tournament, the ones that need a decision first. */
export function MatchDesk({ tournament }: { tournament: { id: string; serverTime: string } }) {
  const trpc = useTRPC();
  const { id: tournamentId, serverTime } = tournament;
  const query = useQuery(trpc.matches.bracket.queryOptions({ tournamentId }));
  const all = query.data ? listedMatches(query.data) : [];
  const plannedTimes = all.flatMap(({ match }) => (match.scheduledAt ? [Date.parse(match.scheduledAt)] : []));
  const now = useServerNow(serverTime, plannedTimes);
  if (!query.data) {
    if (query.isError) return <QueryError title="The matches could not be loaded" query={query} />;
    return <SkeletonTable label="Loading the matches" />;
  }
  const pending = all.filter(({ match }) => match.status === 'pending').length;
  return (
    <div className="grid grid-cols-1 gap-8">
      {deskSections(all, now).map((section) => (
        <SectionList key={section.id} section={section} tournamentId={tournamentId} />
      ))}
      {pending > 0 ? (
        <p className="text-muted">{counted(pending, 'match is', 'matches are')} waiting for earlier results.</p>
      ) : null}
    </div>
  );
}

function SectionList({ section, tournamentId }: { section: Section; tournamentId: string }) {
  const { id, title, items } = section;
  const [showAll, setShowAll] = useState(false);
  const shown = showAll ? items : items.slice(0, firstShown);
  return (
    <section aria-labelledby={`matches-${id}`} className="grid grid-cols-1 gap-3">
      <h2 id={`matches-${id}`} className="display text-xl">
        {title} <span className="figure text-base text-faint">{items.length}</span>
      </h2>
      <ol className="grid grid-cols-1 divide-y rounded border bg-surface">
        {shown.map((listed) => (
          <MatchRow key={listed.match.id} listed={listed} tournamentId={tournamentId} />
        ))}
      </ol>
      {shown.length < items.length ? (
        <Button className="justify-self-start" onClick={() => setShowAll(true)}>
          Show all {items.length}
        </Button>
      ) : null}
    </section>
  );
}
