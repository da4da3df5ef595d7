'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Minus, Plus } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { playerName } from '@/components/anticheat/player-name';
import { Badge } from '@/components/ui/data/badge';
import { Progress } from '@/components/ui/data/progress';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { type Column, Table } from '@/components/ui/data/table';
import { Pagination } from '@/components/ui/navigation/pagination';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonText } from '@/components/ui/page/skeleton';
import { DateTime } from '@/components/ui/text/date-time';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type Replay = Outputs['antiCheat']['replays']['get'];
type Tally = Replay['rules'][number];
type Change = Replay['changes']['items'][number];

const limit = 25;
const pollMs = 1_000;

const figure = (value: number) => <span className="figure">{value}</span>;
const tallyColumns: Column<Tally>[] = [
  { key: 'rule', header: 'Rule', phone: 'title', cell: ({ name }) => <span className="font-medium">{name}</span> },
  { key: 'raised', header: 'Raised', align: 'end', phoneLabel: 'Raised', cell: ({ raised }) => figure(raised) },
  {
    key: 'replayed',
    header: 'Replayed',
    align: 'end',
    phoneLabel: 'Replayed',
    cell: ({ replayed }) => figure(replayed),
  },
  { key: 'added', header: 'Added', align: 'end', phoneLabel: 'Added', cell: ({ added }) => figure(added) },
  { key: 'gone', header: 'Gone', align: 'end', phoneLabel: 'Gone', cell: ({ gone }) => figure(gone) },
];

const changeColumns = (base: string): Column<Change>[] => [
  {
    key: 'change',
    header: 'Change',
    phone: 'end',
    cell: ({ change }) => (
      <Badge tone={change === 'added' ? 'accent' : 'neutral'} icon={change === 'added' ? Plus : Minus}>
        {change === 'added' ? 'Added' : 'Gone'}
      </Badge>
    ),
  },
  {
    key: 'player',
    header: 'Player',
    phone: 'title',
    cell: ({ userName: name, beforeTakeover }) => (
      <bdi className="font-medium wrap-anywhere">{playerName({ name, beforeTakeover })}</bdi>
    ),
  },
  {
    key: 'what',
    header: 'What was found',
    phone: 'line',
    className: 'min-w-64',
    cell: ({ rule, explanation, detectionId }) => (
      <span className="block py-1">
        {detectionId ? (
          <Link href={`${base}/detections/${detectionId}`} className="underline underline-offset-4">
            {rule}
          </Link>
        ) : (
          rule
        )}
        <span className="block text-muted wrap-anywhere">{explanation}</span>
      </span>
    ),
  },
  {
    key: 'review',
    header: 'Review',
    cell: ({ change, verdict }) =>
      change === 'gone' ? <StatusBadge kind="review" status={verdict ?? 'unreviewed'} /> : null,
  },
  { key: 'at', header: 'Minute from', cell: ({ windowStart }) => <DateTime value={windowStart} style="short" /> },
];

function summary({ rules, sessions, reportsRead, isPartial }: Replay): string {
  const sum = (name: 'added' | 'gone') => rules.reduce((total, rule) => total + rule[name], 0);
  const read = `${counted(reportsRead, 'report')} of ${counted(sessions.done, 'session')} read`;
  const found = `${counted(sum('added'), 'detection')} added, ${sum('gone').toLocaleString('en')} gone.`;
  return isPartial ? `${read}, the most for one replay; older ones are left out. ${found}` : `${read}. ${found}`;
}

/** How far a replay is, then what it found. `isOutdated` once the rules were changed again. */
export function ReplayResult({
  projectId,
  replayId,
  base,
  isOutdated,
}: {
  projectId: string;
  replayId: string;
  base: string;
  isOutdated: boolean;
}) {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const query = useQuery(
    trpc.antiCheat.replays.get.queryOptions(
      { projectId, replayId, page, limit },
      {
        refetchInterval: ({ state }) => (state.data && state.data.state !== 'running' ? false : pollMs),
        placeholderData: keepPreviousData,
      },
    ),
  );
  const { data } = query;
  if (!data) {
    return query.error ? (
      <QueryError title="The replay could not be loaded" query={query} />
    ) : (
      <SkeletonText lines={2} />
    );
  }
  if (data.sessions.total === 0) {
    return <p role="status">There is no session of this game to replay yet.</p>;
  }
  if (data.state === 'running') {
    return <Progress value={data.sessions.done} max={data.sessions.total} label="Reading reports" unit="sessions" />;
  }
  if (data.state === 'failed') {
    return <p role="status">The replay did not finish. Start it again.</p>;
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      <p role="status">{summary(data)}</p>
      {isOutdated ? <p className="text-muted">The rules were changed since. Replay them again.</p> : null}
      <Table rows={data.rules} columns={tallyColumns} rowKey={({ ruleId }) => ruleId} caption="Detections by rule" />
      {data.changes.total > 0 ? (
        <div>
          <Table
            rows={data.changes.items}
            columns={changeColumns(base)}
            rowKey={({ sessionId, userId, ruleId, windowStart }) => `${sessionId} ${userId} ${ruleId} ${windowStart}`}
            caption="Detections that differ"
          />
          <Pagination page={page} limit={limit} total={data.changes.total} onPage={setPage} noun="differences" />
        </div>
      ) : null}
    </div>
  );
}
