'use client';

import { useQuery } from '@tanstack/react-query';
import { Radio, WifiOff } from 'lucide-react';
import Link from 'next/link';
import { CapacityCard } from '@/components/organizer/capacity-card';
import { EntrantsDesk } from '@/components/organizer/entrants-desk';
import { formatWords } from '@/components/organizer/form/words';
import type { Detail, View } from '@/components/organizer/queries';
import { ScheduleCard } from '@/components/organizer/schedule-card';
import { TournamentActions } from '@/components/organizer/tournament-actions';
import { useLiveTournament } from '@/components/organizer/use-live-tournament';
import { isAtLeast, type Role } from '@/components/projects/roles';
import { Badge } from '@/components/ui/badge';
import { DateTime } from '@/components/ui/date-time';
import { PageHeader } from '@/components/ui/page-header';
import { SkeletonTable } from '@/components/ui/skeleton';
import { StatusBadge } from '@/components/ui/status-badge';
import { useTRPC } from '@/trpc/client';

function Live({ live }: { live: boolean | null }) {
  if (live === null) return null;
  return live ? (
    <Badge tone="live" icon={Radio}>
      Updates live
    </Badge>
  ) : (
    <Badge icon={WifiOff}>Connecting again</Badge>
  );
}

const notes: Partial<Record<Detail['status'], string>> = {
  DRAFT: 'Only this project sees it. Publish it to let players in.',
  CANCELLED: 'Called off. Nobody can register, check in or play any more.',
};

/** One tournament as its organizers run it. */
export function TournamentDesk({
  project,
  tournamentId,
  firstView,
}: {
  project: { slug: string; role: Role };
  tournamentId: string;
  firstView: View;
}) {
  const trpc = useTRPC();
  const mayWrite = isAtLeast(project.role, 'ORGANIZER');
  const seesAll = isAtLeast(project.role, 'MODERATOR');
  const detail = useQuery(trpc.tournaments.get.queryOptions({ tournamentId }));
  const counts = useQuery({ ...trpc.participants.counts.queryOptions({ tournamentId }), enabled: seesAll });
  const { live, readAgain } = useLiveTournament(tournamentId);
  const tournament = detail.data;
  if (!tournament) return <SkeletonTable label="Loading the tournament" />;
  const teams = tournament.teamSize > 1;
  const note = notes[tournament.status];
  const over = tournament.status === 'COMPLETED' || tournament.status === 'CANCELLED';

  return (
    <>
      <PageHeader
        title={tournament.name}
        back={{ href: `/dashboard/${project.slug}/tournaments`, label: 'Tournaments' }}
        badges={
          <>
            <StatusBadge kind="tournament" status={tournament.status} />
            {over ? null : <Live live={live} />}
          </>
        }
        description={note}
        meta={
          <>
            <span>{tournament.gameName}</span>
            <span>{formatWords[tournament.format].word}</span>
            <span>{teams ? `Teams of ${tournament.teamSize}` : 'Individuals'}</span>
            <DateTime value={tournament.startDate} organizerZone={tournament.timezone} />
            {tournament.status === 'DRAFT' ? null : (
              <Link href={`/tournaments/${tournament.slug}`} className="text-accent underline underline-offset-4">
                Public page
              </Link>
            )}
          </>
        }
        actions={
          mayWrite ? (
            <TournamentActions
              projectSlug={project.slug}
              tournament={tournament}
              counts={counts.data}
              onChanged={readAgain}
            />
          ) : null
        }
      />
      <div className="grid grid-cols-1 gap-8">
        <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)]">
          <CapacityCard tournament={tournament} counts={counts.data} />
          <ScheduleCard tournament={tournament} onTurn={readAgain} />
        </div>
        <EntrantsDesk
          tournament={tournament}
          counts={counts.data}
          mayCheckIn={mayWrite}
          firstView={firstView}
          onChanged={readAgain}
        />
      </div>
    </>
  );
}
