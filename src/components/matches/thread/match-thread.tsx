'use client';

import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { MessageForm } from '@/components/matches/thread/message-form';
import { ShownScreenshots } from '@/components/matches/thread/shown-screenshots';
import { threadInput } from '@/components/matches/thread/thread-input';
import { authorOf, describeLine, isWritten } from '@/components/matches/thread/thread-words';
import type { ThreadLine } from '@/components/matches/types';
import { Badge } from '@/components/ui/data/badge';
import { Button } from '@/components/ui/form/button';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { DateTime, useViewerZone } from '@/components/ui/text/date-time';
import { formatInstant } from '@/domain/time/zones';
import { useTRPC } from '@/trpc/client';

type Names = Readonly<Record<string, string>>;

/** What somebody wrote, with their images. */
function Message({ line, names }: { line: ThreadLine; names: Names }) {
  const by = authorOf(line, names);
  const { author } = line;
  return (
    <li className="grid grid-cols-1 gap-1.5 rounded border bg-surface px-4 py-3">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <bdi className="font-semibold wrap-anywhere">{by}</bdi>
        {author && author.participantId === null ? <Badge tone="accent">Staff</Badge> : null}
        {author?.participantId && author.name !== by ? <bdi className="text-muted">{author.name}</bdi> : null}
        {line.kind === 'dispute' ? <Badge tone="danger">Disputed the result</Badge> : null}
        <DateTime value={line.createdAt} style="short" className="ml-auto text-xs text-faint" />
      </p>
      {line.text ? (
        <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
          {line.text}
        </p>
      ) : null}
      <ShownScreenshots matchId={line.matchId} ids={line.mediaFileIds} by={by} />
    </li>
  );
}

/** What happened: a report, a proposal, a decision. */
function Happened({ line, names }: { line: ThreadLine; names: Names }) {
  const zone = useViewerZone();
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-l-2 border-line-strong py-0.5 pl-4 text-muted">
      <span className="min-w-0 flex-1 basis-48 wrap-anywhere">
        {describeLine(line, names, (iso) => formatInstant(iso, zone, 'short'))}
        {line.text ? <span dir="auto"> “{line.text}”</span> : null}
      </span>
      <DateTime value={line.createdAt} style="short" className="shrink-0 text-xs text-faint" />
    </li>
  );
}

/** The thread of a match for its sides and moderators, oldest line first, and a form where the viewer may write. */
export function MatchThread({ matchId, heading = 'h3' }: { matchId: string; heading?: 'h3' | 'h2' }) {
  const trpc = useTRPC();
  const [pages, setPages] = useState(1);
  const queries = useQueries({
    queries: Array.from({ length: pages }, (_, at) =>
      trpc.matches.listMessages.queryOptions(threadInput(matchId, at + 1), { placeholderData: keepPreviousData }),
    ),
  });
  const [first] = queries;
  if (!first?.data) {
    if (first?.isError) return <QueryError title="The thread could not be loaded" query={first} />;
    return <SkeletonTable rows={2} label="Loading the thread" />;
  }
  const { total, canPost } = first.data;
  if (total === 0 && !canPost) return null;
  const names: Names = Object.assign({}, ...queries.map(({ data }) => data?.names));
  // A new line moves the others between pages, so one may be on two for a moment.
  const byId = new Map(queries.flatMap(({ data }) => data?.items ?? []).map((line) => [line.id, line]));
  const lines = [...byId.values()].reverse();
  const hasEarlier = queries.at(-1)?.data?.hasNext ?? false;
  const Heading = heading;
  return (
    <section aria-label="Thread of the match" className="grid grid-cols-1 gap-3">
      <div>
        <Heading className="display text-lg">Thread</Heading>
        <p className="text-xs text-faint">Only the players of this match and moderators see this.</p>
      </div>
      {hasEarlier ? (
        <Button
          size="sm"
          className="justify-self-start"
          loading={queries.some(({ isPending }) => isPending)}
          onClick={() => setPages(pages + 1)}
        >
          Show earlier
        </Button>
      ) : null}
      <ol aria-live="polite" className="grid grid-cols-1 gap-3">
        {lines.map((line) =>
          isWritten(line) ? (
            <Message key={line.id} line={line} names={names} />
          ) : (
            <Happened key={line.id} line={line} names={names} />
          ),
        )}
        {lines.length === 0 ? <li className="text-muted">Nothing has been reported or written yet.</li> : null}
      </ol>
      {canPost ? <MessageForm matchId={matchId} /> : null}
    </section>
  );
}
