import { formatMoney } from '@/domain/money/money';
import { isDrawable } from '@/domain/text/drawable';
import { formatInstant } from '@/domain/time/zones';
import { tournamentPhase } from '@/domain/tournaments/phase';
import { countParticipants, formatLabel, matchSizeLabel } from '@/domain/tournaments/words';
import { linkPreview } from '@/trpc/link-preview';
import { loadTournament } from './load-tournament';

export const size = { width: 1200, height: 630 };
export const contentType = 'image/png';
export const alt = 'The tournament: its name, game, start and slots';

const renderable = (text: string): string | null => (isDrawable(text) ? text : null);

/** The image that link previews of the tournament show. */
export default async function TournamentImage({ params }: { params: Promise<{ slug: string }> }) {
  const tournament = await loadTournament((await params).slug);
  const { name, gameName, teamSize, format, startDate, timezone, prizePool } = tournament;
  const { maxParticipants, currentParticipants } = tournament;
  const { phase } = tournamentPhase(tournament, Date.now());
  const left = maxParticipants - currentParticipants;
  const open = ['soon', 'open', 'closed', 'waitlist', 'full', 'check_in'].includes(phase);
  const slots =
    open && left > 0
      ? { label: 'Slots left', value: `${left} of ${maxParticipants}` }
      : { label: 'Participants', value: countParticipants(currentParticipants, teamSize) };
  const title = renderable(name) ?? renderable(gameName) ?? 'Tournament';
  const facts = [renderable(gameName), matchSizeLabel(teamSize), formatLabel(format)].filter(Boolean).join('  ·  ');
  const prize = prizePool && renderable(formatMoney(prizePool));

  const figures = [{ label: 'Start', value: formatInstant(startDate, timezone) }, slots];
  if (prize) figures.push({ label: 'Prize pool', value: prize });
  const image = await linkPreview(tournament.projectId, { title, facts, figures });
  // Members see it of private tournaments, too.
  return new Response(image, { headers: { 'Content-Type': contentType, 'Cache-Control': 'private, no-cache' } });
}
