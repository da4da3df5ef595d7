import { loadTournament } from '@/app/tournaments/[slug]/load-tournament';
import { ParticipantPreview } from '@/components/participants/participant-preview';
import { CalendarLink } from '@/components/tournaments/calendar-link';
import { Schedule } from '@/components/tournaments/public/schedule';
import { TournamentAbout } from '@/components/tournaments/public/tournament-about';
import { TournamentFigures } from '@/components/tournaments/public/tournament-figures';
import { Markdown } from '@/components/ui/text/markdown';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

export default async function TournamentPage({ params }: { params: Promise<{ slug: string }> }) {
  const { slug } = await params;
  const { description } = await loadTournament(slug);
  await prefetch(
    trpc.participants.list.queryOptions({ tournamentId: slug, registrationStatus: ['approved'], limit: 12 }),
  );
  return (
    <Hydrate>
      <div className="grid grid-cols-1 gap-10">
        <TournamentFigures slug={slug} />
        <TournamentAbout slug={slug} rendered={{ text: description, content: <Markdown>{description}</Markdown> }} />
        <section aria-labelledby="schedule" className="grid grid-cols-1 gap-3">
          <h2 id="schedule" className="display text-xl">
            Schedule
          </h2>
          <Schedule slug={slug} />
          <CalendarLink slug={slug} />
        </section>
        <ParticipantPreview slug={slug} />
      </div>
    </Hydrate>
  );
}
