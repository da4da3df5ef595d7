import type { Metadata } from 'next';
import { notFound, permanentRedirect } from 'next/navigation';
import { cache } from 'react';
import { prefetchSmall } from '@/app/prefetch-small';
import { loadTournament } from '@/app/tournaments/[slug]/load-tournament';
import { matchSessionsInput } from '@/components/anticheat/sessions/sessions-input';
import { matchTitle } from '@/components/brackets/match-words';
import { MatchPage } from '@/components/matches/match-page';
import { threadInput } from '@/components/matches/thread/thread-input';
import { api, Hydrate, orPage, prefetch, queryClient, trpc } from '@/trpc/server';

type Params = { params: Promise<{ slug: string; match: string }> };

/** The match with this number, or with this id. */
const loadMatch = cache(async (slug: string, match: string) => {
  await loadTournament(slug);
  const byNumber = /^\d{1,6}$/.test(match);
  const matchId = byNumber ? await idOfNumber(slug, Number(match)) : match;
  return orPage(queryClient().fetchQuery(trpc.matches.get.queryOptions({ matchId })));
});

async function idOfNumber(slug: string, number: number): Promise<string> {
  const found = await orPage((await api()).matches.idOfNumber({ tournamentId: slug, number }));
  return found?.id ?? notFound();
}

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  const { slug, match } = await params;
  const found = await loadMatch(slug, match);
  return {
    title: matchTitle(found.slots),
    alternates: { canonical: `/tournaments/${slug}/matches/${found.number}` },
  };
}

export default async function Page({ params }: Params) {
  const { slug, match } = await params;
  const found = await loadMatch(slug, match);
  if (found.tournament.slug !== slug) notFound();
  if (match !== String(found.number)) permanentRedirect(`/tournaments/${slug}/matches/${found.number}`);
  const { canModerate, participantId } = found.me;
  const { project } = await loadTournament(slug);
  const client = queryClient();
  await Promise.all([
    prefetchSmall(client, trpc.matches.listEvents.queryOptions({ matchId: found.id, page: 1, limit: 50 })),
    canModerate || participantId
      ? prefetchSmall(client, trpc.matches.listMessages.queryOptions(threadInput(found.id, 1)))
      : null,
    canModerate
      ? prefetch(trpc.antiCheat.staffSessions.list.queryOptions(matchSessionsInput(project.id, found.id)))
      : null,
  ]);
  return (
    <Hydrate>
      <div className="mx-auto max-w-6xl px-4 sm:px-6">
        <MatchPage slug={slug} matchId={found.id} />
      </div>
    </Hydrate>
  );
}
