'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { historyText } from '@/components/tournaments/desk/drawer/history-text';
import type { HistoryEntry, ParticipantDetail } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonText } from '@/components/ui/page/skeleton';
import { DateTime } from '@/components/ui/text/date-time';
import { useTRPC } from '@/trpc/client';

function HistoryItem({ entry, userId }: { entry: HistoryEntry; userId: string | null }) {
  const { actor, at } = entry;
  const { predicate, detail } = historyText(entry, userId !== null && actor.id === userId);
  return (
    <li className="grid gap-0.5 border-s-2 ps-4 pb-4 last:pb-0">
      <p className="wrap-anywhere">
        <bdi className="font-medium">{actor.name ?? (actor.type === 'system' ? 'Laurel' : 'Someone')}</bdi> {predicate}
      </p>
      {detail ? (
        <p dir="auto" className="wrap-anywhere text-muted">
          {detail}
        </p>
      ) : null}
      <p className="text-xs text-muted">
        <DateTime value={at} style="short" />
      </p>
    </li>
  );
}

/** The history of a participant, newest first. */
export function ParticipantHistory({
  participant: { tournamentId, id: participantId, userId },
}: {
  participant: Pick<ParticipantDetail, 'tournamentId' | 'id' | 'userId'>;
}) {
  const trpc = useTRPC();
  const query = useInfiniteQuery(
    trpc.participants.history.infiniteQueryOptions(
      { tournamentId, participantId },
      { getNextPageParam: (page) => page.nextCursor },
    ),
  );
  if (query.isPending) return <SkeletonText lines={6} />;
  if (query.isError) return <QueryError title="The history could not be loaded" query={query} />;
  const entries = query.data.pages.flatMap(({ items }) => items);
  if (entries.length === 0) return <p className="text-muted">No history yet.</p>;
  return (
    <div className="grid grid-cols-1 gap-4">
      <ol className="grid">
        {entries.map((entry) => (
          <HistoryItem key={entry.id} entry={entry} userId={userId} />
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
