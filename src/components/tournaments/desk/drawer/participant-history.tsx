'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { historyText } from '@/components/tournaments/desk/drawer/history-text';
import type { HistoryEntry } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonText } from '@/components/ui/page/skeleton';
import { DateTime } from '@/components/ui/text/date-time';
import { useTRPC } from '@/trpc/client';

function Entry({ entry }: { entry: HistoryEntry }) {
  const { title, detail } = historyText(entry);
  return (
    <li className="grid gap-0.5 border-s-2 ps-4 pb-4 last:pb-0">
      <p className="font-medium wrap-anywhere">{title}</p>
      {detail ? (
        <p dir="auto" className="wrap-anywhere text-muted">
          {detail}
        </p>
      ) : null}
      <p className="text-xs text-muted">
        <bdi>{entry.actor.name ?? (entry.actor.type === 'system' ? 'Laurel' : 'Someone')}</bdi>,{' '}
        <DateTime value={entry.at} style="short" />
      </p>
    </li>
  );
}

/** Who did what to an entrant and when, newest first. */
export function ParticipantHistory({ tournamentId, participantId }: { tournamentId: string; participantId: string }) {
  const trpc = useTRPC();
  const query = useInfiniteQuery(
    trpc.participants.history.infiniteQueryOptions(
      { tournamentId, participantId },
      { getNextPageParam: (page) => page.nextCursor },
    ),
  );
  if (query.isPending) return <SkeletonText lines={6} />;
  if (query.isError) return <QueryError title="The history could not be read" query={query} />;
  const entries = query.data.pages.flatMap(({ items }) => items);
  if (entries.length === 0) return <p className="text-muted">Nothing is recorded of this entrant.</p>;
  return (
    <div className="grid grid-cols-1 gap-4">
      <ol className="grid">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
      {query.hasNextPage ? (
        <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show earlier
        </Button>
      ) : null}
    </div>
  );
}
