'use client';

import { useQuery } from '@tanstack/react-query';
import { Radio, WifiOff } from 'lucide-react';
import dynamic from 'next/dynamic';
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
import { Badge } from '@/components/ui/data/badge';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { buttonClass } from '@/components/ui/form/button';
import { Tabs } from '@/components/ui/navigation/tabs';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { EmptyState } from '@/components/ui/page/empty-state';
import { PageHeader } from '@/components/ui/page/page-header';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { DateTime } from '@/components/ui/text/date-time';
import { can, whoCan } from '@/domain/projects/permissions';
import type { ProjectRole } from '@/domain/projects/roles';
import { formatLabel, matchSizeLabel } from '@/domain/tournaments/words';
import { useTRPC } from '@/trpc/client';

export type DeskTab = 'matches' | 'participants' | 'seeding' | 'schedule';

const MatchDesk = dynamic(() => import('@/components/matches/desk/match-desk').then((file) => file.MatchDesk), {
  loading: () => <SkeletonTable label="Loading the matches" />,
});

function LiveBadge({ live }: { live: boolean | null }) {
  const connected = (
    <Badge tone="live" icon={Radio}>
      Live updates
    </Badge>
  );
  // Until it is known, its place is kept, so that nothing moves when it appears.
  if (live === null) {
    return (
      <span aria-hidden className="invisible">
        {connected}
      </span>
    );
  }
  return live ? connected : <Badge icon={WifiOff}>Reconnecting</Badge>;
}

const statusNotes: Partial<Record<Tournament['status'], string>> = {
  DRAFT: 'Only project members can see it. Publish it so that players can register.',
  CANCELLED: 'No one can register, check in, or play anymore.',
};

/** The tabs of the desk for those who manage participants: matches, participants, seeding and schedule. */
function DeskTabs({
  tournament,
  counts,
  canWrite,
  initialTab,
  initialView,
  onChanged,
}: {
  tournament: Tournament;
  counts?: ParticipantCounts;
  canWrite: boolean;
  /** Null opens the tab that the state of the tournament calls for. */
  initialTab: DeskTab | null;
  initialView: View;
  onChanged: () => void;
}) {
  const hasMatches = tournament.status === 'IN_PROGRESS' || tournament.status === 'COMPLETED';
  const [chosenTab, setTab] = useState<string | null>(initialTab);
  const [hadMatches, setHadMatches] = useState(hasMatches);
  if (hasMatches !== hadMatches) {
    setHadMatches(hasMatches);
    setTab(null);
  }
  const firstTab: DeskTab = hasMatches ? 'matches' : 'participants';
  const tab = chosenTab === null || (chosenTab === 'matches' && !hasMatches) ? firstTab : chosenTab;
  const participants = useParticipants(tournament.id);
  useShortcut('b', 'Matches', () => hasMatches && setTab('matches'));
  useShortcut('s', 'Seeding', () => setTab('seeding'));
  useShortcut('l', 'Participants', () => setTab('participants'));
  return (
    <div className="grid grid-cols-1 gap-4">
      <Readiness tournament={tournament} rows={participants.rows} complete={participants.complete} />
      <Tabs
        label="Desk"
        value={tab}
        onValueChange={setTab}
        items={[
          ...(hasMatches
            ? [
                {
                  value: 'matches',
                  label: 'Matches',
                  content: <MatchDesk tournament={tournament} canWrite={canWrite} />,
                },
              ]
            : []),
          {
            value: 'participants',
            label: 'Participants',
            content: (
              <ParticipantsDesk
                tournament={tournament}
                participants={participants}
                initialView={initialView}
                canWrite={canWrite}
                toolbar={
                  <DeskToolbar
                    tournament={tournament}
                    rows={participants.rows}
                    canWrite={canWrite}
                    onChanged={onChanged}
                  />
                }
                onChanged={onChanged}
              />
            ),
          },
          {
            value: 'seeding',
            label: 'Seeding',
            content: (
              <SeedingView
                tournament={tournament}
                participants={participants}
                canWrite={canWrite}
                onChanged={onChanged}
              />
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
  /** Missing for viewers who do not manage participants. */
  counts?: ParticipantCounts;
  onChanged: () => void;
}) {
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)]">
      <CapacityCard tournament={tournament} counts={counts} />
      <ScheduleCard tournament={tournament} onChange={onChanged} />
    </div>
  );
}

/** The organizers' page of one tournament. */
export function TournamentDesk({
  project,
  tournamentId,
  initialTab,
  initialView,
}: {
  project: { slug: string; role: ProjectRole };
  tournamentId: string;
  /** Null opens the tab that the state of the tournament calls for. */
  initialTab: DeskTab | null;
  initialView: View;
}) {
  const trpc = useTRPC();
  const canWrite = can(project.role, 'tournaments:write');
  const detail = useQuery(trpc.tournaments.get.queryOptions({ tournamentId }));
  const { live, refresh } = useLiveTournament(tournamentId);
  const tournament = detail.data;
  const counts = useQuery({
    ...trpc.participants.counts.queryOptions({ tournamentId }),
    enabled: tournament?.canManage === true,
  });
  if (!tournament) return <SkeletonTable label="Loading the tournament" />;
  const isOver = tournament.status === 'COMPLETED' || tournament.status === 'CANCELLED';
  const publicHref = `/tournaments/${tournament.slug}`;

  return (
    <>
      <PageHeader
        title={tournament.name}
        back={{ href: `/dashboard/${project.slug}/tournaments`, label: 'Tournaments' }}
        badges={
          <>
            <StatusBadge kind="tournament" status={tournament.status} />
            {isOver ? null : <LiveBadge live={live} />}
          </>
        }
        description={statusNotes[tournament.status]}
        meta={
          <>
            <span>{tournament.gameName}</span>
            <span>{formatLabel(tournament.format)}</span>
            <span>{matchSizeLabel(tournament.teamSize)}</span>
            <DateTime value={tournament.startDate} organizerZone={tournament.timezone} />
            {tournament.status === 'DRAFT' ? null : (
              <Link href={publicHref} className="text-accent underline underline-offset-4">
                Public page
              </Link>
            )}
          </>
        }
        actions={
          canWrite ? (
            <TournamentActions
              projectSlug={project.slug}
              tournament={tournament}
              counts={counts.data}
              onChanged={refresh}
            />
          ) : null
        }
      />
      {tournament.canManage ? (
        <DeskTabs
          tournament={tournament}
          counts={counts.data}
          canWrite={canWrite}
          initialTab={initialTab}
          initialView={initialView}
          onChanged={refresh}
        />
      ) : (
        <div className="grid grid-cols-1 gap-6">
          <ScheduleTab tournament={tournament} onChanged={refresh} />
          <EmptyState
            title="You cannot manage participants"
            action={
              <Link href={publicHref} className={buttonClass({})}>
                View the public page
              </Link>
            }
          >
            {whoCan('participants:read')} can. Ask an owner or admin to change your role.
          </EmptyState>
        </div>
      )}
    </>
  );
}
