'use client';

import { Eye } from 'lucide-react';
import dynamic from 'next/dynamic';
import { tournamentHref } from '@/components/tournaments/manage/tournament-href';
import { PhaseBadge } from '@/components/tournaments/phase-badge';
import { ChampionBadge } from '@/components/tournaments/public/champion-badge';
import { LiveStatus } from '@/components/tournaments/public/live-status';
import { useServerNow } from '@/components/tournaments/use-server-now';
import { useTournament } from '@/components/tournaments/use-tournament';
import { ButtonLink } from '@/components/ui/form/button';
import { LinkTabs } from '@/components/ui/navigation/link-tabs';
import { PageHeader } from '@/components/ui/page/page-header';
import { phaseChanges, tournamentPhase } from '@/domain/tournaments/phase';
import { formatLabel, matchSizeLabel } from '@/domain/tournaments/words';

// Most tournaments have no banner, and need not load what shows one.
const TournamentBanner = dynamic(() =>
  import('@/components/tournaments/public/tournament-banner').then((module) => module.TournamentBanner),
);

/** The tournament's name, phase and main facts, with links to its pages. */
export function TournamentHeader({ slug }: { slug: string }) {
  const tournament = useTournament(slug);
  const now = useServerNow(tournament.serverTime, phaseChanges(tournament));
  const { phase } = tournamentPhase(tournament, now);
  const base = `/tournaments/${slug}`;
  const hasBracket = tournament.startedAt !== null;
  return (
    <>
      {tournament.status === 'DRAFT' ? (
        <p className="mb-6 flex flex-wrap items-center gap-x-3 gap-y-1 rounded border border-line-strong px-4 py-3 text-muted">
          <Eye aria-hidden className="size-4" />
          This is a preview. Only members of the project can see it until you publish the tournament.
        </p>
      ) : null}
      {tournament.bannerUrl ? <TournamentBanner url={tournament.bannerUrl} /> : null}
      <PageHeader
        back={{ href: '/tournaments', label: 'Tournaments' }}
        title={tournament.name}
        badges={
          <>
            <PhaseBadge phase={phase} />
            {tournament.status === 'COMPLETED' ? <ChampionBadge slug={slug} /> : null}
          </>
        }
        meta={
          <>
            <span className="font-medium text-ink">{tournament.gameName}</span>
            <span>{matchSizeLabel(tournament.teamSize)}</span>
            <span>{formatLabel(tournament.format)}</span>
            <span className="min-w-0 wrap-anywhere">
              by <bdi>{tournament.project.name}</bdi>
            </span>
            <LiveStatus slug={slug} />
          </>
        }
        actions={
          tournament.canManage ? (
            <ButtonLink href={tournamentHref(tournament.project.slug, tournament)}>Manage</ButtonLink>
          ) : null
        }
        tabs={
          <LinkTabs
            label="Tournament"
            items={[
              { href: base, label: 'Overview', exact: true },
              ...(hasBracket
                ? [
                    { href: `${base}/bracket`, label: 'Bracket' },
                    { href: `${base}/matches`, label: 'Matches' },
                    { href: `${base}/standings`, label: 'Standings' },
                  ]
                : []),
              { href: `${base}/participants`, label: 'Participants', count: tournament.currentParticipants },
              { href: `${base}/rules`, label: 'Rules' },
            ]}
          />
        }
      />
    </>
  );
}
