'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CircleMinus, CircleX, Radio } from 'lucide-react';
import { useState } from 'react';
import { playerName } from '@/components/anticheat/player-name';
import { sessionPlayersInput, sessionsRefreshMs } from '@/components/anticheat/sessions/sessions-input';
import { Badge } from '@/components/ui/data/badge';
import { type Column, Table } from '@/components/ui/data/table';
import { Pagination } from '@/components/ui/navigation/pagination';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { RelativeTime } from '@/components/ui/text/date-time';
import { useTRPC } from '@/trpc/client';
import type { Outputs } from '@/trpc/outputs';

type Player = Outputs['antiCheat']['staffSessions']['players']['items'][number];
type Client = Player['clients'][number];
/** A player's client in a row of its own; null for a player without one. */
type Row = { key: string; player: Player; client: Client | null; isFirst: boolean };

const toRows = (players: Player[]): Row[] =>
  players.flatMap((player): Row[] =>
    player.clients.length === 0
      ? [{ key: player.userId, player, client: null, isFirst: true }]
      : player.clients.map((client, index) => ({ key: client.id, player, client, isFirst: index === 0 })),
  );

function State({ client, isRunning }: { client: Client | null; isRunning: boolean }) {
  if (client === null) {
    return (
      <Badge tone="danger" icon={CircleX}>
        No client
      </Badge>
    );
  }
  if (client.revoked) return <Badge icon={CircleX}>Revoked</Badge>;
  if (!isRunning) return client.firstReportAt ? 'Reported' : 'No reports';
  return client.running ? (
    <Badge tone="live" icon={Radio}>
      Running
    </Badge>
  ) : (
    <Badge tone="danger" icon={CircleMinus}>
      Silent
    </Badge>
  );
}

/** `3.2 s ahead`, `on time`. */
function clockText(aheadMs: number | null): string {
  if (aheadMs === null) return 'Not known yet';
  const seconds = Math.round(aheadMs / 100) / 10;
  if (Math.abs(seconds) < 0.5) return 'On time';
  return `${Math.abs(seconds).toLocaleString('en')} s ${seconds > 0 ? 'ahead' : 'behind'}`;
}

const columnsFor = (isRunning: boolean): Column<Row>[] => [
  {
    key: 'player',
    header: 'Player',
    phone: 'title',
    cell: ({ player, isFirst }) => (
      <span className={isFirst ? 'font-medium wrap-anywhere' : 'text-muted wrap-anywhere'}>
        <bdi>{playerName(player)}</bdi>
      </span>
    ),
  },
  {
    key: 'state',
    header: 'Client',
    phone: 'end',
    cell: ({ client }) => <State client={client} isRunning={isRunning} />,
  },
  {
    key: 'device',
    header: 'Device',
    cell: ({ client }) =>
      client ? <bdi>{client.deviceName ?? 'Unnamed device'}</bdi> : 'Not enrolled when the session started',
  },
  {
    key: 'heard',
    header: 'Last heard',
    phoneLabel: 'Last heard',
    cell: ({ client }) => (client?.lastHeardAt ? <RelativeTime value={client.lastHeardAt} /> : 'Never'),
  },
  {
    key: 'clock',
    header: 'Clock',
    phoneLabel: 'Clock',
    cell: ({ client }) => (client ? clockText(client.clockAheadMs) : ''),
  },
  {
    key: 'detections',
    header: 'Detections',
    align: 'end',
    phoneLabel: 'Detections',
    cell: ({ player, isFirst }) => (isFirst ? <span className="figure">{player.detections}</span> : ''),
  },
];

/** The players of a session with the state of their clients, read again every few seconds while it runs. */
export function SessionPlayers({
  projectId,
  sessionId,
  isRunning,
}: {
  projectId: string;
  sessionId: string;
  isRunning: boolean;
}) {
  const trpc = useTRPC();
  const [page, setPage] = useState(1);
  const query = useQuery(
    trpc.antiCheat.staffSessions.players.queryOptions(sessionPlayersInput(projectId, sessionId, page), {
      refetchInterval: isRunning ? sessionsRefreshMs : false,
      placeholderData: keepPreviousData,
    }),
  );
  if (!query.data) {
    if (query.error) return <QueryError title="The players could not be loaded" query={query} />;
    return <SkeletonTable rows={4} label="Loading players" />;
  }
  return (
    <div>
      <Table
        rows={toRows(query.data.items)}
        columns={columnsFor(isRunning)}
        rowKey={({ key }) => key}
        caption="Players of the session"
        empty={<p className="text-muted">The session was started for no player.</p>}
      />
      <Pagination page={page} limit={25} total={query.data.total} onPage={setPage} noun="players" />
    </div>
  );
}
