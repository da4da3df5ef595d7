'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DetectionView } from '@/components/anticheat/detection/detection-view';
import { DetectionRow } from '@/components/anticheat/queue/detection-row';
import { isFiltered, queueInput } from '@/components/anticheat/queue/filter';
import { type Choice, QueueFilters } from '@/components/anticheat/queue/queue-filters';
import { cn } from '@/components/ui/cn';
import { Button } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { useQueryParams } from '@/components/ui/navigation/use-query-params';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { useTRPC } from '@/trpc/client';

/** The detections of a project with filters, and the selected one beside them; on phones it has a page of its own. */
export function DetectionQueue({
  projectId,
  base,
  games,
  tournaments,
}: {
  projectId: string;
  /** The path of the project's anti-cheat pages. */
  base: string;
  games: readonly Choice[];
  tournaments: readonly Choice[];
}) {
  const trpc = useTRPC();
  const [params, setParams] = useQueryParams();
  const input = useMemo(() => queueInput(projectId, new URLSearchParams(params)), [projectId, params]);
  const query = useQuery({ ...trpc.antiCheat.review.queue.queryOptions(input), placeholderData: keepPreviousData });
  const items = query.data?.items ?? [];
  const selectedId = params.get('detection') ?? items[0]?.id ?? null;
  const change = (changes: Record<string, string | null>) => setParams({ page: null, detection: null, ...changes });
  const ofMatch = items.find(({ matchId }) => matchId === params.get('match'))?.match;

  return (
    <div className="grid grid-cols-1 gap-4">
      <QueueFilters
        params={params}
        games={games}
        tournaments={tournaments}
        names={{
          player: items.find(({ player }) => player.userId === params.get('player'))?.player.name ?? null,
          match: ofMatch ? `M${ofMatch.number}, ${ofMatch.tournamentName}` : null,
        }}
        onChange={change}
      />
      {query.isPending ? (
        <SkeletonTable label="Loading the detections" />
      ) : query.isError ? (
        <QueryError title="The detections could not be loaded" query={query} />
      ) : items.length === 0 ? (
        <NothingFound params={params} onChange={change} />
      ) : (
        <div
          className={cn(
            'grid grid-cols-1 gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]',
            query.isPlaceholderData && 'opacity-60',
          )}
        >
          <div className="min-w-0">
            <ul aria-label="Detections" className="rounded border bg-surface">
              {items.map((item) => (
                <DetectionRow
                  key={item.id}
                  item={item}
                  href={`${base}/detections/${item.id}`}
                  isSelected={item.id === selectedId}
                  onOpen={(event) => {
                    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
                    if (!isPlain || window.matchMedia('(width < 64rem)').matches) return;
                    event.preventDefault();
                    setParams({ detection: item.id });
                  }}
                />
              ))}
            </ul>
            <Pagination
              page={query.data.page}
              limit={query.data.limit}
              total={query.data.total}
              onPage={(page) => change({ page: page === 1 ? null : String(page) })}
              noun="detections"
            />
          </div>
          <div className="min-w-0 max-lg:hidden">
            {selectedId ? <DetectionView projectId={projectId} detectionId={selectedId} base={base} /> : null}
          </div>
        </div>
      )}
    </div>
  );
}

/** What the queue says when it has nothing to show. */
function NothingFound({
  params,
  onChange,
}: {
  params: URLSearchParams;
  onChange: (changes: Record<string, string | null>) => void;
}) {
  if (isFiltered(params)) {
    return (
      <EmptyState
        title="No matching detections"
        action={
          <Button
            onClick={() =>
              onChange({ severity: null, rule: null, game: null, tournament: null, match: null, player: null })
            }
          >
            Clear filters
          </Button>
        }
      />
    );
  }
  if (params.get('status') && params.get('status') !== 'unreviewed') {
    return (
      <EmptyState
        title="No detections here"
        action={<Button onClick={() => onChange({ status: null })}>Show unreviewed</Button>}
      />
    );
  }
  return (
    <EmptyState
      title="Nothing to review"
      action={<Button onClick={() => onChange({ status: 'all' })}>Show reviewed detections</Button>}
    >
      What the rules find in a running session appears here within seconds. Your game servers start sessions through the
      API.
    </EmptyState>
  );
}
