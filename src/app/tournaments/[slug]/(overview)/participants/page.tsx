import type { Metadata } from 'next';
import { loadTournament } from '@/app/tournaments/[slug]/load-tournament';
import { ParticipantList } from '@/components/participants/participant-list';
import { participantListInput } from '@/components/participants/participant-list-input';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

type Params = { params: Promise<{ slug: string }> };
type Search = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  return { title: 'Participants', alternates: { canonical: `/tournaments/${(await params).slug}/participants` } };
}

export default async function ParticipantsPage({ params, searchParams }: Params & Search) {
  const { slug } = await params;
  const { q, page } = await searchParams;
  await loadTournament(slug);
  const input = participantListInput(slug, Array.isArray(q) ? q[0] : q, Array.isArray(page) ? page[0] : page);
  await prefetch(trpc.participants.list.queryOptions(input));
  return (
    <Hydrate>
      <ParticipantList slug={slug} />
    </Hydrate>
  );
}
