import { api, orNull } from '@/trpc/server';

/** The calendars of the API for people who are signed in here, so that a link also opens those of private tournaments. */
export async function GET(request: Request, { params }: { params: Promise<{ slug: string }> }): Promise<Response> {
  const { slug } = await params;
  const participantId = new URL(request.url).searchParams.get('participant');
  const { calendar } = (await api()).matches;
  const text = await orNull(
    participantId === null
      ? calendar.tournament({ tournamentId: slug })
      : calendar.participant({ tournamentId: slug, participantId }),
  );
  if (text === null) return new Response('There is no such calendar.\n', { status: 404 });
  const headers = {
    'Content-Type': 'text/calendar; charset=utf-8',
    'Content-Disposition': 'inline; filename="tournament.ics"',
    'Cache-Control': 'private, no-cache',
  };
  return new Response(text, { headers });
}
