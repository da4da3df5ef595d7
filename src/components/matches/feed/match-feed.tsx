'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { describeFeedItem } from '@/components/matches/feed/feed-words';
import { Button } from '@/components/ui/form/button';
import { DateTime } from '@/components/ui/text/date-time';
import { useTRPC } from '@/trpc/client';

const pageSize = 50;

type Props = { matchId: string; nameOf: (participantId: string) => string | null };

/** What happened in a match, as game servers and staff posted it. Renders nothing while there is nothing. */
export function MatchFeed({ matchId, nameOf }: Props) {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const { data } = useQuery(
    trpc.matches.listEvents.queryOptions(
      { matchId, page, limit: pageSize },
      { placeholderData: keepPreviousData, retry: false },
    ),
  );
  if (!data || data.total === 0) return null;
  return (
    <section aria-labelledby="timeline" className="grid grid-cols-1 gap-3">
      <h3 id="timeline" className="display text-lg">
        Timeline
      </h3>
      <ol className="border-l border-line-strong">
        {data.items.map((event) => {
          const { title, detail } = describeFeedItem(event);
          const by = event.participantId === null ? null : nameOf(event.participantId);
          return (
            <li
              key={event.id}
              className="relative flex flex-wrap items-baseline gap-x-3 py-1.5 pl-5 before:absolute before:top-4 before:left-0 before:w-3 before:border-t before:border-line-strong"
            >
              <span className="font-medium">{title}</span>
              {by ? (
                <span className="min-w-0 truncate">
                  <bdi>{by}</bdi>
                </span>
              ) : null}
              {detail ? <span className="min-w-0 text-muted wrap-anywhere">{detail}</span> : null}
              <DateTime value={event.timestamp} style="time" className="ml-auto text-xs text-faint" />
            </li>
          );
        })}
      </ol>
      {data.totalPages > 1 ? (
        <div className="flex items-center gap-3">
          <Button disabled={!data.hasPrev} onClick={() => setPage(page - 1)}>
            Earlier
          </Button>
          <span className="text-muted">
            {data.page} of {data.totalPages}
          </span>
          <Button disabled={!data.hasNext} onClick={() => setPage(page + 1)}>
            Later
          </Button>
        </div>
      ) : null}
    </section>
  );
}
