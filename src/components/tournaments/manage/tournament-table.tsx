import { DoorOpen, UserCheck } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { tournamentHref } from '@/components/tournaments/manage/tournament-href';
import { Badge } from '@/components/ui/data/badge';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { type Column, Table } from '@/components/ui/data/table';
import { DateTime } from '@/components/ui/text/date-time';
import type { Outputs } from '@/trpc/outputs';

export type Summary = Outputs['tournaments']['forProject']['items'][number];

/** What is open now is more useful than "Published". */
function Status({ row }: { row: Summary }) {
  if (!row.registrationOpen && !row.checkInOpen) return <StatusBadge kind="tournament" status={row.status} />;
  return (
    <span className="flex flex-wrap gap-1.5">
      {row.checkInOpen ? (
        <Badge icon={UserCheck} tone="live">
          Check-in open
        </Badge>
      ) : null}
      {row.registrationOpen ? (
        <Badge icon={DoorOpen} tone="accent">
          Registration open
        </Badge>
      ) : null}
    </span>
  );
}

/** A table of a project's tournaments; each name links to its desk. */
export function TournamentTable({
  projectSlug,
  rows,
  empty,
  caption = 'Tournaments',
}: {
  projectSlug: string;
  rows: Summary[];
  empty?: ReactNode;
  caption?: string;
}) {
  const columns: Column<Summary>[] = [
    {
      key: 'name',
      header: 'Name',
      phone: 'title',
      cell: (row) => (
        <Link
          href={tournamentHref(projectSlug, row)}
          className="inline-block max-w-80 truncate align-middle font-medium hover:underline hover:underline-offset-4"
          dir="auto"
        >
          {row.name}
        </Link>
      ),
    },
    {
      key: 'status',
      header: 'Status',
      phone: 'line',
      cell: (row) => <Status row={row} />,
    },
    { key: 'game', header: 'Game', className: 'whitespace-nowrap', cell: (row) => row.gameName },
    {
      key: 'participants',
      header: 'Participants',
      phoneLabel: 'Participants',
      align: 'end',
      className: 'whitespace-nowrap',
      cell: (row) => (
        <span className="numerals">
          {row.currentParticipants} of {row.maxParticipants}
        </span>
      ),
    },
    {
      key: 'start',
      header: 'Start',
      className: 'whitespace-nowrap',
      cell: (row) => <DateTime value={row.startDate} style="short" organizerZone={row.timezone} />,
    },
  ];
  return <Table caption={caption} rows={rows} columns={columns} rowKey={(row) => row.id} empty={empty} />;
}
