'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import { SessionState } from '@/components/anticheat/sessions/session-state';
import { sessionsInput, sessionsRefreshMs } from '@/components/anticheat/sessions/sessions-input';
import { type Column, Table } from '@/components/ui/data/table';
import { Switch } from '@/components/ui/form/choices';
import { Pagination } from '@/components/ui/navigation/pagination';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { DateTime } from '@/components/ui/text/date-time';
import { antiCheatGameNames } from '@/domain/anticheat/games';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type Session = Outputs['antiCheat']['staffSessions']['list']['items'][number];

const columnsFor = (base: string): Column<Session>[] => [
  {
    key: 'match',
    header: 'Match',
    phone: 'title',
    cell: ({ id, match, matchId }) => (
      <Link href={`${base}/sessions/${id}`} className="font-medium underline-offset-4 wrap-anywhere hover:underline">
        {match ? (
          <>
            M{match.number}, <bdi>{match.tournamentName}</bdi>
          </>
        ) : (
          <code className="font-mono text-xs">{matchId}</code>
        )}
      </Link>
    ),
  },
  { key: 'state', header: 'State', phone: 'end', cell: ({ endedAt }) => <SessionState endedAt={endedAt} /> },
  { key: 'game', header: 'Game', cell: ({ game }) => antiCheatGameNames[game] },
  {
    key: 'players',
    header: 'Players covered',
    phoneLabel: 'Covered',
    cell: ({ covered, requested }) => (
      <span className="numerals">
        {covered} of {Math.max(requested, covered)}
      </span>
    ),
  },
  {
    key: 'running',
    header: 'Running now',
    phoneLabel: 'Running now',
    cell: ({ running, endedAt }) => (endedAt === null ? <span className="numerals">{running}</span> : ''),
  },
  {
    key: 'detections',
    header: 'Detections',
    align: 'end',
    phoneLabel: 'Detections',
    cell: ({ detections }) => <span className="figure">{detections}</span>,
  },
  {
    key: 'started',
    header: 'Started',
    phoneLabel: 'Started',
    className: 'whitespace-nowrap',
    cell: ({ startedAt }) => <DateTime value={startedAt} style="short" />,
  },
];

/** Running and past sessions of a project. `base` is the path of the anti-cheat pages. */
export function SessionList({ projectId, base }: { projectId: string; base: string }) {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const [onlyRunning, setOnlyRunning] = useState(false);
  const query = useQuery(
    trpc.antiCheat.staffSessions.list.queryOptions(sessionsInput(projectId, page, onlyRunning || undefined), {
      refetchInterval: sessionsRefreshMs,
      placeholderData: keepPreviousData,
    }),
  );
  const { data } = query;
  const empty = onlyRunning ? (
    <EmptyState title="No session is running" />
  ) : (
    <EmptyState title="No sessions yet">
      A game server starts a session for each match through the API. You can also start one on the page of a match.
    </EmptyState>
  );
  return (
    <div className="grid grid-cols-1 gap-4">
      <Switch
        label="Only running sessions"
        checked={onlyRunning}
        onCheckedChange={(on) => {
          setOnlyRunning(on);
          setPage(1);
        }}
      />
      {query.error ? <QueryError title="The sessions could not be loaded" query={query} /> : null}
      {query.isPending ? <SkeletonTable rows={5} label="Loading sessions" /> : null}
      {data ? (
        <div>
          <Table
            rows={data.items}
            columns={columnsFor(base)}
            rowKey={({ id }) => id}
            caption="Anti-cheat sessions"
            empty={empty}
          />
          <Pagination page={page} limit={25} total={data.total} onPage={setPage} noun="sessions" />
        </div>
      ) : null}
    </div>
  );
}
