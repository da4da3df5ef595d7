'use client';

import { useQuery } from '@tanstack/react-query';
import { Trophy } from 'lucide-react';
import { GroupTable, TieBreakLegend } from '@/components/brackets/tables/group-table';
import { TieRuling } from '@/components/brackets/tables/tie-ruling';
import type { StandingsData } from '@/components/brackets/types';
import { useFollow } from '@/components/brackets/use-follow';
import { useTournament } from '@/components/tournaments/use-tournament';
import { cn } from '@/components/ui/cn';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** The final places known so far, and the tables of stages that have one. */
export function Standings({ slug }: { slug: string }) {
  const trpc = useTRPC();
  const [follow] = useFollow();
  const tournament = useTournament(slug);
  const query = useQuery(
    trpc.matches.standings.queryOptions(
      { tournamentId: slug },
      { retry: (count, error) => count < 2 && readError(error).status !== 409 },
    ),
  );
  const { data } = query;
  if (!data) {
    if (query.error && readError(query.error).reason !== 'BRACKET_NOT_AVAILABLE') {
      return <QueryError title="The standings could not be loaded" query={query} />;
    }
    return <EmptyState title="No standings yet">They begin when the organizer starts the tournament.</EmptyState>;
  }
  const tables = data.stages.filter(({ groups }) => groups.length > 0);
  if (data.final.length === 0 && tables.length === 0) {
    return <EmptyState title="No standings yet">Places are listed here as soon as someone is out.</EmptyState>;
  }
  return (
    <div className="grid grid-cols-1 gap-10">
      {data.final.length > 0 ? <FinalPlaces final={data.final} follow={follow} /> : null}
      {[...tables].reverse().map((stage) => (
        <section key={stage.id} aria-labelledby={`table-${stage.id}`} className="grid grid-cols-1 gap-3">
          <h2 id={`table-${stage.id}`} className="display text-xl">
            {stage.name}
          </h2>
          <div className={stage.groups.length > 1 ? 'grid grid-cols-1 gap-6 lg:grid-cols-2' : 'grid grid-cols-1'}>
            {stage.groups.map((group) => (
              <div key={group.id} className="grid grid-cols-1 content-start gap-2">
                {stage.groups.length > 1 ? <h3 className="display text-lg">Group {group.name}</h3> : null}
                <GroupTable
                  name={stage.groups.length > 1 ? `Group ${group.name}` : stage.name}
                  rows={group.rows}
                  tiebreakers={stage.tiebreakers}
                  follow={follow}
                  ruling={group.ruling}
                />
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
        </section>
      ))}
    </div>
  );
}

/** The final places; those out in the same round share one. */
function FinalPlaces({ final, follow }: { final: StandingsData['final']; follow: string | null }) {
  return (
    <section aria-labelledby="final-places" className="grid grid-cols-1 gap-3">
      <h2 id="final-places" className="display text-xl">
        Final places
      </h2>
      <ol className="overflow-hidden rounded border bg-surface">
        {final.map(({ rank, participantId, name, seed }) => (
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
    </section>
  );
}
