import type { Metadata } from 'next';
import { SiteShell } from '@/components/shell/site-shell';
import { type ListFilters, TournamentFilters } from '@/components/tournaments/list/tournament-filters';
import { TournamentList } from '@/components/tournaments/list/tournament-list';
import { ButtonLink } from '@/components/ui/form/button';
import { Pagination } from '@/components/ui/navigation/pagination';
import { AutoRefresh } from '@/components/ui/page/auto-refresh';
import { EmptyState } from '@/components/ui/page/empty-state';
import { PageHeader } from '@/components/ui/page/page-header';
import { ViewerZone } from '@/components/ui/text/date-time';
import { pathWith } from '@/domain/navigation/return-path';
import { api, viewer } from '@/trpc/server';

export const metadata: Metadata = {
  title: 'Tournaments',
  description: 'Every public tournament: live, open for registration, and upcoming.',
  alternates: { canonical: '/tournaments' },
};

type Search = Record<string, string | string[] | undefined>;

const phases = ['current', 'open', 'check_in', 'live', 'past'] as const;
const days: Record<string, number> = { '1d': 1, '7d': 7, '30d': 30 };
const pageSize = 25;

const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value) ?? '';

/** The range of start times for a `when` filter: before now for past tournaments, after now for all others. */
function startRange(when: string, past: boolean): { from?: string; to?: string } {
  const length = days[when];
  if (!length) return {};
  const fromNow = (sign: 1 | -1) => new Date(Date.now() + sign * length * 86_400_000).toISOString();
  // Without `from`, live tournaments stay in the range: they started before now.
  return past ? { from: fromNow(-1) } : { to: fromNow(1) };
}

export default async function TournamentsPage({ searchParams }: { searchParams: Promise<Search> }) {
  const search = await searchParams;
  const call = await api();
  const [games, user] = await Promise.all([call.tournaments.games(), viewer()]);
  const phase = phases.find((each) => each === single(search.phase)) ?? 'current';
  const game = games.find((each) => each.id === single(search.game))?.id;
  const when = Object.hasOwn(days, single(search.when)) ? single(search.when) : 'any';
  const filters: ListFilters = { q: single(search.q).slice(0, 100), game: game ?? 'any', phase, when };
  const page = Math.min(Math.max(1, Math.floor(Number(single(search.page))) || 1), 10_000);

  const { items, total } = await call.tournaments.list({
    phase,
    game,
    search: filters.q || undefined,
    ...startRange(when, phase === 'past'),
    page,
    limit: pageSize,
  });
  const filtered = Boolean(filters.q || game || when !== 'any' || phase !== 'current');
  const href = (to: number) =>
    pathWith('/tournaments', {
      q: filters.q,
      phase: phase === 'current' ? undefined : phase,
      game,
      when: when === 'any' ? undefined : when,
      page: to > 1 ? String(to) : undefined,
    });

  return (
    <SiteShell viewer={user}>
      <PageHeader title="Tournaments" />
      <AutoRefresh />
      <ViewerZone zone={user?.timezone ?? null}>
        <TournamentFilters filters={filters} games={games}>
          <p role="status" className={items.length > 0 ? 'numerals mb-3 text-muted' : 'sr-only'}>
            {total.toLocaleString('en')} {total === 1 ? 'tournament' : 'tournaments'}
          </p>
          {items.length > 0 ? (
            <>
              <TournamentList tournaments={items} label="Tournaments" level={2} />
              <Pagination page={page} limit={pageSize} total={total} href={href} noun="tournaments" />
            </>
          ) : (
            <EmptyTournaments filtered={filtered} outOfRange={total > 0} />
          )}
        </TournamentFilters>
      </ViewerZone>
    </SiteShell>
  );
}

function EmptyTournaments({ filtered, outOfRange }: { filtered: boolean; outOfRange: boolean }) {
  if (outOfRange) {
    return (
      <EmptyState
        title="This page does not exist"
        action={<ButtonLink href="/tournaments">Go to the first page</ButtonLink>}
      />
    );
  }
  if (filtered) {
    return (
      <EmptyState
        title="No matching tournaments"
        action={<ButtonLink href="/tournaments">Show live and upcoming tournaments</ButtonLink>}
      >
        Remove a filter, search for fewer words, or look at past tournaments.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No tournaments yet"
      action={
        <>
          <ButtonLink href="/dashboard/new" variant="primary">
            Run a tournament
          </ButtonLink>
          <ButtonLink href="/tournaments?phase=past">See past tournaments</ButtonLink>
        </>
      }
    >
      Tournaments appear here as soon as an organizer publishes them.
    </EmptyState>
  );
}
