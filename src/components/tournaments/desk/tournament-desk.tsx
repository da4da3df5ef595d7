'use client';

import { useQuery } from '@tanstack/react-query';
import { Radio, WifiOff } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { DeskToolbar } from '@/components/tournaments/desk/desk-toolbar';
import type { View } from '@/components/tournaments/desk/grid/views';
import { ParticipantsDesk } from '@/components/tournaments/desk/participants-desk';
import type { ParticipantCounts, Tournament } from '@/components/tournaments/desk/queries';
import { Readiness } from '@/components/tournaments/desk/readiness';
import { CapacityCard } from '@/components/tournaments/desk/schedule/capacity-card';
import { ScheduleCard } from '@/components/tournaments/desk/schedule/schedule-card';
import { SeedingView } from '@/components/tournaments/desk/seeding/seeding-view';
import { TournamentActions } from '@/components/tournaments/desk/tournament-actions';
import { useLiveTournament } from '@/components/tournaments/desk/use-live-tournament';
import { useParticipants } from '@/components/tournaments/desk/use-participants';
import { formatDescriptions } from '@/components/tournaments/form/labels';
import { Badge } from '@/components/ui/data/badge';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { buttonClass } from '@/components/ui/form/button';
import { Tabs } from '@/components/ui/navigation/tabs';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { EmptyState } from '@/components/ui/page/empty-state';
import { PageHeader } from '@/components/ui/page/page-header';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { DateTime } from '@/components/ui/text/date-time';
import { can } from '@/domain/projects/permissions';
import type { ProjectRole } from '@/domain/projects/roles';
import { useTRPC } from '@/trpc/client';

export type DeskTab = 'entrants' | 'seeding' | 'schedule';

function LiveBadge({ live }: { live: boolean | null }) {
  if (live === null) return null;
  return live ? (
    <Badge tone="live" icon={Radio}>
      Updates live
    </Badge>
  ) : (
    <Badge icon={WifiOff}>Connecting again</Badge>
  );
}

const statusNotes: Partial<Record<Tournament['status'], string>> = {
  DRAFT: 'Only this project sees it. Publish it to let players in.',
  CANCELLED: 'Cancelled. No one can register, check in, or play.',
};

/** The desk of those who manage entrants: the list, the seeds, and what is planned. */
function DeskTabs({
  tournament,
  counts,
  mayWrite,
  firstTab,
  firstView,
  onChanged,
}: {
  tournament: Tournament;
  counts?: ParticipantCounts;
  mayWrite: boolean;
  firstTab: DeskTab;
  firstView: View;
  onChanged: () => void;
}) {
  const [tab, setTab] = useState<string>(firstTab);
  const entrants = useParticipants(tournament.id);
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
              <ParticipantsDesk
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
            content: <ScheduleTab tournament={tournament} counts={counts} onChanged={onChanged} />,
          },
        ]}
      />
    </div>
  );
}

function ScheduleTab({
  tournament,
  counts,
  onChanged,
}: {
  tournament: Tournament;
  /** Unknown to who does not manage the entrants. */
  counts?: ParticipantCounts;
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
  project: { slug: string; role: ProjectRole };
  tournamentId: string;
  firstTab: DeskTab;
  firstView: View;
}) {
  const trpc = useTRPC();
  const mayWrite = can(project.role, 'tournaments:write');
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
            {over ? null : <LiveBadge live={live} />}
          </>
        }
        description={statusNotes[tournament.status]}
        meta={
          <>
            <span>{tournament.gameName}</span>
            <span>{formatDescriptions[tournament.format].word}</span>
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
        <DeskTabs
          tournament={tournament}
          counts={counts.data}
          mayWrite={mayWrite}
          firstTab={firstTab}
          firstView={firstView}
          onChanged={readAgain}
        />
      ) : (
        <div className="grid grid-cols-1 gap-6">
          <ScheduleTab tournament={tournament} onChanged={readAgain} />
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
