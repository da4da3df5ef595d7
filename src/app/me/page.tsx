import type { Metadata } from 'next';
import Link from 'next/link';
import { MyNextMatches } from '@/components/matches/my-next-matches';
import { MyRegistrations } from '@/components/participants/my-registrations';
import { MyTabs } from '@/components/participants/my-tabs';
import type { MyRegistrationsInput } from '@/components/participants/use-my-registrations';
import { SiteShell } from '@/components/shell/site-shell';
import { MyInvitations } from '@/components/teams/my-invitations';
import { myInvitationsInput } from '@/components/teams/queries';
import { PageHeader } from '@/components/ui/page/page-header';
import { Copy } from '@/components/ui/text/copy';
import { ViewerZone } from '@/components/ui/text/date-time';
import { Hydrate, prefetch, requireViewer, trpc } from '@/trpc/server';

export const metadata: Metadata = { title: 'My tournaments', robots: { index: false } };

type Search = Record<string, string | string[] | undefined>;

export default async function MyTournamentsPage({ searchParams }: { searchParams: Promise<Search> }) {
  const user = await requireViewer('/me');
  const search = await searchParams;
  const when = search.when === 'past' ? 'past' : 'current';
  const page = Math.min(Math.max(1, Math.floor(Number(search.page)) || 1), 10_000);
  // Current registrations are sorted by urgency in the browser, which needs all of them on one page.
  const input: MyRegistrationsInput = { when, page, limit: when === 'current' ? 100 : 25 };
  await Promise.all([
    prefetch(trpc.participants.myRegistrationSummaries.queryOptions(input)),
    when === 'current' ? prefetch(trpc.matches.myNextMatches.queryOptions({})) : null,
    prefetch(trpc.teams.invitations.mine.queryOptions(myInvitationsInput)),
  ]);
  return (
    <SiteShell viewer={user}>
      <PageHeader
        title="My tournaments"
        meta={
          <span className="grid gap-1">
            <span className="flex min-w-0 flex-wrap items-center gap-x-2">
              Your player ID, which captains need to invite you: <Copy value={user.id} label="Copy your player ID" />
            </span>
            {user.emailVerified ? null : (
              <span>
                We emailed you a link to verify your address. Nothing in your inbox?{' '}
                <Link href="/settings" className="text-accent underline underline-offset-4">
                  Go to your account settings
                </Link>
              </span>
            )}
          </span>
        }
        tabs={<MyTabs current={when} />}
      />
      <ViewerZone zone={user.timezone}>
        <Hydrate>
          {when === 'current' ? <MyNextMatches /> : null}
          <MyRegistrations key={when} input={input} invitations={when === 'current' ? <MyInvitations /> : null} />
        </Hydrate>
      </ViewerZone>
    </SiteShell>
  );
}
