import { ArrowRight, BookOpen, LayoutDashboard } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { MyNextMatches } from '@/components/matches/my-next-matches';
import { NextSteps } from '@/components/participants/next-steps';
import { BrandStrip } from '@/components/shell/home-banner';
import { SiteShell } from '@/components/shell/site-shell';
import { MyInvitations } from '@/components/teams/my-invitations';
import { myInvitationsInput } from '@/components/teams/queries';
import { TournamentList } from '@/components/tournaments/list/tournament-list';
import type { TournamentSummary } from '@/components/tournaments/list/tournament-row';
import { ButtonLink } from '@/components/ui/form/button';
import { AutoRefresh } from '@/components/ui/page/auto-refresh';
import { EmptyState } from '@/components/ui/page/empty-state';
import { ViewerZone } from '@/components/ui/text/date-time';
import { pathWith } from '@/domain/navigation/return-path';
import { publicUrl } from '@/env';
import { api, Hydrate, prefetch, trpc, viewer } from '@/trpc/server';

export const metadata: Metadata = {
  metadataBase: new URL(publicUrl),
  alternates: { canonical: '/' },
  openGraph: { type: 'website', siteName: 'Laurel', title: 'Laurel', url: '/' },
};

const myRegistrationsInput = { when: 'current', page: 1, limit: 100 } as const;

function Group({ id, title, all, children }: { id: string; title: string; all: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="grid grid-cols-1 gap-3">
      <div className="flex items-baseline justify-between gap-4">
        <h2 id={id} className="display text-xl">
          {title}
        </h2>
        <Link
          href={all}
          className="inline-flex items-center gap-1.5 py-1 font-medium text-accent underline-offset-4 hover:underline"
        >
          See all<span className="sr-only">: {title}</span>
          <ArrowRight aria-hidden className="size-4" />
        </Link>
      </div>
      {children}
    </section>
  );
}

function AudienceSection({
  icon,
  title,
  href,
  action,
  children,
}: {
  icon: ReactNode;
  title: string;
  href: string;
  action: string;
  children: ReactNode;
}) {
  return (
    <section className="grid justify-items-start gap-2 border-t py-5 lg:first:border-t-0 lg:first:pt-0">
      <h2 className="display flex items-center gap-2 text-lg [&_svg]:size-5 [&_svg]:text-accent">
        {icon}
        {title}
      </h2>
      <p className="text-muted">{children}</p>
      <ButtonLink href={href} className="mt-1">
        {action}
      </ButtonLink>
    </section>
  );
}

export default async function HomePage() {
  const call = await api();
  const [user, live, checkingIn, open, current] = await Promise.all([
    viewer(),
    call.tournaments.list({ phase: 'live', limit: 4, sort: '-startDate' }),
    call.tournaments.list({ phase: 'check_in', limit: 4 }),
    call.tournaments.list({ phase: 'open', limit: 8 }),
    call.tournaments.list({ phase: 'upcoming', limit: 25 }),
  ]);
  if (user) {
    await Promise.all([
      prefetch(trpc.participants.myRegistrationSummaries.queryOptions(myRegistrationsInput)),
      prefetch(trpc.matches.myNextMatches.queryOptions({})),
      prefetch(trpc.teams.invitations.mine.queryOptions(myInvitationsInput)),
    ]);
  }

  const now: TournamentSummary[] = [...live.items, ...checkingIn.items];
  const alreadyListed = new Set([...now, ...open.items].map(({ id }) => id));
  const openForRegistration = open.items.filter(({ id }) => !now.some((tournament) => tournament.id === id));
  const upcoming = current.items.filter(({ id }) => !alreadyListed.has(id)).slice(0, 6);
  const isEmpty = now.length + openForRegistration.length + upcoming.length === 0;
  const organize = user ? '/dashboard/new' : pathWith('/sign-in', { next: '/dashboard/new' });

  return (
    <SiteShell viewer={user} width="full">
      <BrandStrip />
      <AutoRefresh />
      <ViewerZone zone={user?.timezone ?? null}>
        <div className="mx-auto grid max-w-6xl grid-cols-1 gap-x-10 gap-y-10 px-4 pt-8 sm:px-6 lg:grid-cols-[minmax(0,1fr)_16rem]">
          <div className="grid grid-cols-1 content-start gap-10">
            {user ? (
              <Hydrate>
                <MyNextMatches />
                <NextSteps input={myRegistrationsInput} />
                <MyInvitations />
              </Hydrate>
            ) : null}
            {live.items.length > 0 ? (
              <Group id="live" title="Live now" all="/tournaments?phase=live">
                <TournamentList tournaments={live.items} label="Live now" />
              </Group>
            ) : null}
            {checkingIn.items.length > 0 ? (
              <Group id="check-in" title="Check-in open" all="/tournaments?phase=check_in">
                <TournamentList tournaments={checkingIn.items} label="Check-in open" />
              </Group>
            ) : null}
            {openForRegistration.length > 0 ? (
              <Group id="open" title="Open for registration" all="/tournaments?phase=open">
                <TournamentList tournaments={openForRegistration} label="Open for registration" />
              </Group>
            ) : null}
            {upcoming.length > 0 ? (
              <Group id="upcoming" title="Upcoming" all="/tournaments">
                <TournamentList tournaments={upcoming} label="Upcoming" />
              </Group>
            ) : null}
            {isEmpty ? (
              <EmptyState
                title="No tournaments yet"
                action={
                  <>
                    <ButtonLink href={organize} variant="primary">
                      Run a tournament
                    </ButtonLink>
                    <ButtonLink href="/tournaments?phase=past">See past tournaments</ButtonLink>
                  </>
                }
              >
                Tournaments appear here as soon as an organizer publishes them.
              </EmptyState>
            ) : null}
          </div>
          <div className="content-start max-lg:grid max-lg:gap-x-10 max-lg:md:grid-cols-2 lg:border-l lg:pl-8">
            <AudienceSection
              icon={<LayoutDashboard aria-hidden />}
              title="For organizers"
              href={organize}
              action="Run a tournament"
            >
              Run registration, check-in, brackets, stations and results from one desk.
            </AudienceSection>
            <AudienceSection
              icon={<BookOpen aria-hidden />}
              title="For developers"
              href="/docs/api"
              action="API reference"
            >
              Read tournaments with an API key and receive every change as a signed webhook.
            </AudienceSection>
          </div>
        </div>
      </ViewerZone>
    </SiteShell>
  );
}
