'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Trophy } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { GroupTable, TieBreakLegend } from '@/components/brackets/tables/group-table';
import { standingsInput } from '@/components/brackets/tables/standings-input';
import { TieRuling } from '@/components/brackets/tables/tie-ruling';
import type { StandingsPage } from '@/components/brackets/types';
import { useFollow } from '@/components/brackets/use-follow';
import { useTournament } from '@/components/tournaments/use-tournament';
import { cn } from '@/components/ui/cn';
import { ButtonLink } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** The final places known so far, and the tables of stages that have one; long ones in pages, kept in the address. */
export function Standings({ slug }: { slug: string }) {
  const trpc = useTRPC();
  const [follow] = useFollow();
  const tournament = useTournament(slug);
  const params = useSearchParams();
  const query = useQuery(
    trpc.matches.standingsPage.queryOptions(standingsInput(slug, params.get('places'), params.get('table')), {
      placeholderData: keepPreviousData,
      retry: (count, error) => count < 2 && readError(error).status !== 409,
    }),
  );
  /** The address of another page of a list, and where it begins there. */
  const hrefTo = (list: 'places' | 'table', section: string) => (page: number) => {
    const search = new URLSearchParams(params);
    search.set(list, String(page));
    return `?${search}#${section}`;
  };
  const { data } = query;
  if (!data) {
    if (query.error && readError(query.error).reason !== 'BRACKET_NOT_AVAILABLE') {
      return <QueryError title="The standings could not be loaded" query={query} />;
    }
    return <EmptyState title="No standings yet">They begin when the organizer starts the tournament.</EmptyState>;
  }
  const tables = data.stages.filter(({ position }) => position.total > 0);
  if (data.final.total === 0 && tables.length === 0) {
    return <EmptyState title="No standings yet">Places are listed here as soon as someone is out.</EmptyState>;
  }
  return (
    <div className="grid grid-cols-1 gap-10">
      {data.final.total > 0 ? (
        <FinalPlaces final={data.final} follow={follow} href={hrefTo('places', 'final-places')} />
      ) : null}
      {[...tables].reverse().map((stage) => (
        <section key={stage.id} aria-labelledby={`table-${stage.id}`} className="grid grid-cols-1 gap-3">
          <h2 id={`table-${stage.id}`} className="display scroll-mt-20 text-xl">
            {stage.name}
          </h2>
          {stage.groups.some(({ rows }) => rows.length > 0) ? null : <NoSuchPage href={hrefTo('table', '')(1)} />}
          <div
            className={stage.position.of === 'groups' ? 'grid grid-cols-1 gap-6 lg:grid-cols-2' : 'grid grid-cols-1'}
          >
            {stage.groups.map((group) => (
              <div key={group.id} className="grid grid-cols-1 content-start gap-2">
                {stage.position.of === 'groups' ? <h3 className="display text-lg">Group {group.name}</h3> : null}
                {group.rows.length > 0 ? (
                  <GroupTable
                    name={stage.position.of === 'groups' ? `Group ${group.name}` : stage.name}
                    rows={group.rows}
                    next={group.next}
                    tiebreakers={stage.tiebreakers}
                    follow={follow}
                    ruling={group.ruling}
                  />
                ) : null}
                <TieRuling
                  tournamentId={data.tournamentId}
                  stageId={stage.id}
                  group={group}
                  canDecide={tournament.canManage}
                />
              </div>
            ))}
          </div>
          <TieBreakLegend tiebreakers={stage.tiebreakers} />
          <Pagination
            {...stage.position}
            noun={stage.position.of === 'groups' ? 'groups' : 'participants'}
            href={hrefTo('table', `table-${stage.id}`)}
          />
        </section>
      ))}
    </div>
  );
}

function NoSuchPage({ href }: { href: string }) {
  return (
    <EmptyState title="This page does not exist" action={<ButtonLink href={href}>Show the first page</ButtonLink>} />
  );
}

type FinalProps = { final: StandingsPage['final']; follow: string | null; href: (page: number) => string };

/** The final places; those out in the same round share one. */
function FinalPlaces({ final, follow, href }: FinalProps) {
  return (
    <section aria-labelledby="final-places" className="grid grid-cols-1 gap-3">
      <h2 id="final-places" className="display scroll-mt-20 text-xl">
        Final places
      </h2>
      {final.items.length === 0 ? <NoSuchPage href={href(1)} /> : null}
      <ol className="overflow-hidden rounded border bg-surface empty:hidden">
        {final.items.map(({ rank, participantId, name, seed }) => (
          <li
            key={participantId}
            data-participant={participantId}
            className={cn(
              'flex min-h-9 items-center gap-3 border-b px-4 py-1.5 last:border-b-0',
              follow === participantId && 'bg-accent-soft',
              rank === 1 && 'bg-gold-soft text-gold',
            )}
          >
            <span className="figure w-8 shrink-0 text-end text-base">{rank}</span>
            <span className="min-w-0 flex-1 truncate font-medium">
              <bdi>{name}</bdi>
            </span>
            {rank === 1 ? (
              <span className="inline-flex items-center gap-1.5 font-medium">
                <Trophy aria-hidden className="size-4" />
                Champion
              </span>
            ) : (
              <span className="text-xs text-faint">Seed {seed}</span>
            )}
          </li>
        ))}
      </ol>
      <Pagination page={final.page} limit={final.limit} total={final.total} noun="participants" href={href} />
    </section>
  );
}
