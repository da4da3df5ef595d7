'use client';

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { DetectionView, type ReviewedProject } from '@/components/anticheat/detection/detection-view';
import { DetectionRow } from '@/components/anticheat/queue/detection-row';
import { hasStatus, queueInput } from '@/components/anticheat/queue/filter';
import { NothingFound } from '@/components/anticheat/queue/nothing-found';
import { type Choice, QueueFilters } from '@/components/anticheat/queue/queue-filters';
import { useQueueKeys } from '@/components/anticheat/queue/use-queue-keys';
import { useLiveDetections } from '@/components/anticheat/use-live-detections';
import { useReviews } from '@/components/anticheat/use-reviews';
import { useNarrowScreen } from '@/components/tournaments/desk/grid/use-narrow-screen';
import { cn } from '@/components/ui/cn';
import { Kbd } from '@/components/ui/navigation/kbd';
import { Pagination } from '@/components/ui/navigation/pagination';
import { useQueryParams } from '@/components/ui/navigation/use-query-params';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import type { Verdict } from '@/domain/anticheat/reviews';
import { useTRPC } from '@/trpc/client';

/** The detections of a project with filters, and the selected one beside them; on phones it has a page of its own. */
export function DetectionQueue({
  project,
  games,
  tournaments,
}: {
  project: ReviewedProject;
  games: readonly Choice[];
  tournaments: readonly Choice[];
}) {
  const trpc = useTRPC();
  const [params, setParams] = useQueryParams();
  const input = useMemo(() => queueInput(project.id, new URLSearchParams(params)), [project.id, params]);
  const query = useQuery({ ...trpc.antiCheat.review.queue.queryOptions(input), placeholderData: keepPreviousData });
  const reviews = useReviews(project.id);
  const isLive = useLiveDetections(project.id, reviews.refresh);
  const isNarrow = useNarrowScreen(64);
  const list = useRef<HTMLUListElement>(null);

  // A review that is under way has left the list already.
  const items = (query.data?.items ?? []).filter((item) => query.isPlaceholderData || hasStatus(item, input.status));
  const ids = items.map(({ id }) => id);
  const linked = params.get('detection');
  // What is selected stays so while newer detections arrive above it.
  const [chosen, setChosen] = useState(linked);
  const selectedId = chosen !== null && (ids.includes(chosen) || chosen === linked) ? chosen : (ids[0] ?? null);
  if (selectedId !== chosen) setChosen(selectedId);

  // The next one is there when it is asked for, so that its keys work at once.
  const queryClient = useQueryClient();
  const nextId = ids[ids.indexOf(selectedId ?? '') + 1];
  useEffect(() => {
    if (!nextId || isNarrow) return;
    const next = { projectId: project.id, detectionId: nextId };
    void queryClient.prefetchQuery(trpc.antiCheat.review.detection.queryOptions(next));
  }, [nextId, isNarrow, project.id, queryClient, trpc]);

  function select(id: string | null) {
    setChosen(id);
    setParams({ detection: id });
  }
  const keys = useQueueKeys(list, { ids, selectedId, onSelect: select });
  const change = (changes: Record<string, string | null>) => setParams({ page: null, detection: null, ...changes });

  /** Goes on to the next detection when the verdict takes this one out of the list. */
  function goOn(verdict: Verdict) {
    const at = ids.indexOf(selectedId ?? '');
    if (at < 0 || hasStatus({ verdict }, input.status)) return;
    const next = ids[at + 1] ?? ids[at - 1] ?? null;
    select(next);
    if (next) keys.focus(next);
  }

  const ofMatch = items.find(({ matchId }) => matchId === params.get('match'))?.match;
  const isEmpty = query.data !== undefined && items.length === 0;
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
      {isLive === false ? (
        <p role="status" className="text-muted">
          Live updates are interrupted. New detections appear when the connection is back.
        </p>
      ) : null}
      {query.isPending ? <SkeletonTable label="Loading the detections" /> : null}
      {query.isError && !query.data ? <QueryError title="The detections could not be loaded" query={query} /> : null}
      {isEmpty ? <NothingFound params={params} onChange={change} /> : null}
      {query.data ? (
        <div
          className={cn(
            'grid grid-cols-1 gap-6',
            !(isEmpty && selectedId === null) && 'lg:grid-cols-[22rem_minmax(0,1fr)]',
            query.isPlaceholderData && 'opacity-60',
          )}
        >
          <div className="min-w-0">
            {isEmpty ? null : (
              <ul ref={list} aria-label="Detections" className="rounded border bg-surface" onKeyDown={keys.onKeyDown}>
                {items.map((item) => (
                  <DetectionRow
                    key={item.id}
                    item={item}
                    href={`${project.path}/anti-cheat/detections/${item.id}`}
                    isSelected={item.id === selectedId}
                    onOpen={(event) => {
                      const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
                      if (!isPlain || isNarrow) return;
                      event.preventDefault();
                      select(item.id);
                    }}
                  />
                ))}
              </ul>
            )}
            <Pagination
              page={query.data.page}
              limit={query.data.limit}
              total={query.data.total}
              onPage={(page) => change({ page: page === 1 ? null : String(page) })}
              noun="detections"
            />
            {isEmpty ? null : (
              <p className="mt-3 text-xs text-faint max-lg:hidden">
                <Kbd>j</Kbd> <Kbd>k</Kbd> go through the detections. <Kbd>c</Kbd> confirm, <Kbd>d</Kbd> dismiss,{' '}
                <Kbd>i</Kbd> inconclusive, <Kbd>n</Kbd> note, <Kbd>u</Kbd> undo.
              </p>
            )}
          </div>
          <div className="min-w-0 max-lg:hidden">
            {selectedId && !isNarrow ? (
              <DetectionView project={project} detectionId={selectedId} reviews={reviews} onDecide={goOn} />
            ) : null}
          </div>
        </div>
      ) : null}
    </div>
  );
}
