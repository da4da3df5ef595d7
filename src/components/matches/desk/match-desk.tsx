'use client';

import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { MatchRow } from '@/components/matches/desk/match-row';
import { deskSections, listedMatches, type Section, sectionChanges } from '@/components/matches/desk/sections';
import { seedableStage } from '@/components/matches/desk/stage-order';
import { StageSeeding } from '@/components/matches/desk/stage-seeding';
import { StationsPanel } from '@/components/matches/desk/stations-panel';
import { StreamQueue } from '@/components/matches/desk/stream-queue';
import { type DeskActions, useDeskActions } from '@/components/matches/desk/use-desk-actions';
import { useRowKeys } from '@/components/matches/desk/use-row-keys';
import type { Station } from '@/components/matches/types';
import { useServerNow } from '@/components/tournaments/use-server-now';
import { Button } from '@/components/ui/form/button';
import { Kbd } from '@/components/ui/navigation/kbd';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { onStream, streamQueue } from '@/domain/matches/stations';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';

const firstShown = 20;
const noStations: Station[] = [];

/** What the rows of the desk need beside their match. */
type RowContext = {
  tournamentId: string;
  stations: readonly Station[];
  actions: DeskActions;
  /** Ids of the matches in the stream queue, in order. */
  queue: readonly string[];
};

/** The matches of a running or completed tournament, the ones that need a decision first, with stations and stream. */
export function MatchDesk({
  tournament,
  canWrite,
}: {
  tournament: { id: string; status: string; serverTime: string };
  /** Whether the viewer may change the tournament, and so the seeding of its stages. */
  canWrite: boolean;
}) {
  const trpc = useTRPC();
  const { id: tournamentId, serverTime } = tournament;
  const query = useQuery(trpc.matches.bracket.queryOptions({ tournamentId }));
  const found = useQuery(trpc.matches.stations.list.queryOptions({ tournamentId, limit: 100 }));
  const stations = found.data?.items ?? noStations;
  const actions = useDeskActions(tournamentId, stations);
  const all = query.data ? listedMatches(query.data) : [];
  const matches = all.map(({ match }) => match);
  const now = useServerNow(serverTime, sectionChanges(all));
  const desk = useRef<HTMLDivElement>(null);
  const latest = useRef({ matches, stations, actions });
  useEffect(() => {
    latest.current = { matches, stations, actions };
  });
  const onStation = useCallback((number: number, place: number) => {
    const given = latest.current;
    const match = given.matches.find((one) => one.number === number);
    const station = given.stations[place - 1];
    if (match && (place === 0 || station)) given.actions.assignTo(match, station?.id ?? null);
  }, []);
  useRowKeys(desk, onStation);
  if (!query.data) {
    if (query.isError) return <QueryError title="The matches could not be loaded" query={query} />;
    return <SkeletonTable label="Loading the matches" />;
  }
  const pending = all.filter(({ match }) => match.status === 'pending').length;
  const queue = streamQueue(matches);
  const seedable = canWrite ? seedableStage(query.data) : null;
  const context = { tournamentId, stations, actions, queue: queue.map(({ id }) => id) };
  return (
    <div ref={desk} className="grid grid-cols-1 gap-8 xl:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="grid min-w-0 grid-cols-1 content-start gap-8">
        {seedable ? <StageSeeding tournamentId={tournamentId} seedable={seedable} /> : null}
        {deskSections(all, now).map((section) => (
          <SectionList key={section.id} section={section} context={context} />
        ))}
        {pending > 0 ? (
          <p className="text-muted">{counted(pending, 'match is', 'matches are')} waiting for earlier results.</p>
        ) : null}
        <p className="text-xs text-faint max-md:hidden">
          <Kbd>j</Kbd> <Kbd>k</Kbd> go through the matches. On a match: <Kbd>r</Kbd> result, <Kbd>g</Kbd> begin,{' '}
          <Kbd>c</Kbd> call, <Kbd>f</Kbd> forfeit, <Kbd>q</Kbd> stream.
        </p>
      </div>
      {tournament.status === 'IN_PROGRESS' ? (
        <aside className="grid min-w-0 grid-cols-1 content-start gap-8">
          <StationsPanel tournamentId={tournamentId} stations={stations} />
          <StreamQueue onStream={onStream(matches, stations, now)} queue={queue} actions={actions} />
        </aside>
      ) : null}
    </div>
  );
}

function SectionList({ section, context }: { section: Section; context: RowContext }) {
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
          <MatchRow key={listed.match.id} listed={listed} timeIsOver={id === 'missing'} {...context} />
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
