'use client';

import { useQuery } from '@tanstack/react-query';
import { Radio, WifiOff } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { isAtLeast, type Role } from '@/components/projects/roles';
import { DeskToolbar } from '@/components/tournaments/desk/desk-toolbar';
import { EntrantsDesk } from '@/components/tournaments/desk/participants-desk';
import { Readiness } from '@/components/tournaments/desk/readiness';
import type { View } from '@/components/tournaments/desk/rows';
import { useEntrants } from '@/components/tournaments/desk/use-participants';
import { formatWords } from '@/components/tournaments/form/words';
import { CapacityCard } from '@/components/tournaments/manage/capacity-card';
import type { Counts, Detail } from '@/components/tournaments/manage/queries';
import { ScheduleCard } from '@/components/tournaments/manage/schedule-card';
import { TournamentActions } from '@/components/tournaments/manage/tournament-actions';
import { useLiveTournament } from '@/components/tournaments/manage/use-live-tournament';
import { SeedingView } from '@/components/tournaments/seeding/seeding-view';
import { Badge } from '@/components/ui/data/badge';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { buttonClass } from '@/components/ui/form/button';
import { Tabs } from '@/components/ui/navigation/tabs';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { EmptyState } from '@/components/ui/page/empty-state';
import { PageHeader } from '@/components/ui/page/page-header';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { DateTime } from '@/components/ui/text/date-time';
import { useTRPC } from '@/trpc/client';

export type DeskTab = 'entrants' | 'seeding' | 'schedule';

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

/** The desk of those who manage entrants: the list, the seeds, and what is planned. */
function StaffDesk({
  tournament,
  counts,
  mayWrite,
  firstTab,
  firstView,
  onChanged,
}: {
  tournament: Detail;
  counts?: Counts;
  mayWrite: boolean;
  firstTab: DeskTab;
  firstView: View;
  onChanged: () => void;
}) {
  const [tab, setTab] = useState<string>(firstTab);
  const entrants = useEntrants(tournament.id);
  useShortcut('s', 'Seeding', () => setTab('seeding'));
  useShortcut('l', 'List of entrants', () => setTab('entrants'));
  return (
    <div className="grid grid-cols-1 gap-4">
      <Readiness tournament={tournament} rows={entrants.rows} complete={entrants.complete} />
      <Tabs
        label="Desk"
        value={tab}
        onValueChange={setTab}
        items={[
          {
            value: 'entrants',
            label: 'Entrants',
            content: (
              <EntrantsDesk
                tournament={tournament}
                entrants={entrants}
                firstView={firstView}
                toolbar={
                  <DeskToolbar tournament={tournament} rows={entrants.rows} mayWrite={mayWrite} onChanged={onChanged} />
                }
                onChanged={onChanged}
              />
            ),
          },
          {
            value: 'seeding',
            label: 'Seeding',
            content: (
              <SeedingView tournament={tournament} entrants={entrants} mayWrite={mayWrite} onChanged={onChanged} />
            ),
          },
          {
            value: 'schedule',
            label: 'Schedule',
            content: <Planned tournament={tournament} counts={counts} onChanged={onChanged} />,
          },
        ]}
      />
    </div>
  );
}

function Planned({
  tournament,
  counts,
  onChanged,
}: {
  tournament: Detail;
  /** Unknown to who does not manage the entrants. */
  counts?: Counts;
  onChanged: () => void;
}) {
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)]">
      <CapacityCard tournament={tournament} counts={counts} />
      <ScheduleCard tournament={tournament} onTurn={onChanged} />
    </div>
  );
}

/** One tournament as its organizers run it. */
export function TournamentDesk({
  project,
  tournamentId,
  firstTab,
  firstView,
}: {
  project: { slug: string; role: Role };
  tournamentId: string;
  firstTab: DeskTab;
  firstView: View;
}) {
  const trpc = useTRPC();
  const mayWrite = isAtLeast(project.role, 'ORGANIZER');
  const detail = useQuery(trpc.tournaments.get.queryOptions({ tournamentId }));
  const { live, readAgain } = useLiveTournament(tournamentId);
  const tournament = detail.data;
  const counts = useQuery({
    ...trpc.participants.counts.queryOptions({ tournamentId }),
    enabled: tournament?.canManage === true,
  });
  if (!tournament) return <SkeletonTable label="Loading the tournament" />;
  const teams = tournament.teamSize > 1;
  const over = tournament.status === 'COMPLETED' || tournament.status === 'CANCELLED';
  const publicHref = `/tournaments/${tournament.slug}`;

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
        description={notes[tournament.status]}
        meta={
          <>
            <span>{tournament.gameName}</span>
            <span>{formatWords[tournament.format].word}</span>
            <span>{teams ? `Teams of ${tournament.teamSize}` : 'Individuals'}</span>
            <DateTime value={tournament.startDate} organizerZone={tournament.timezone} />
            {tournament.status === 'DRAFT' ? null : (
              <Link href={publicHref} className="text-accent underline underline-offset-4">
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
      {tournament.canManage ? (
        <StaffDesk
          tournament={tournament}
          counts={counts.data}
          mayWrite={mayWrite}
          firstTab={firstTab}
          firstView={firstView}
          onChanged={readAgain}
        />
      ) : (
        <div className="grid grid-cols-1 gap-6">
          <Planned tournament={tournament} onChanged={readAgain} />
          <EmptyState
            title="Moderators and organizers manage entrants"
            action={
              <Link href={publicHref} className={buttonClass({})}>
                See the public page
              </Link>
            }
          >
            Your role lets you see what everyone sees. Ask an owner or an admin for another one.
          </EmptyState>
        </div>
      )}
    </>
  );
}
