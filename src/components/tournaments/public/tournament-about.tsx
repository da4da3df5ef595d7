'use client';

import { useTournament } from '@/components/tournaments/use-tournament';
import { Facts } from '@/components/ui/data/card';
import { Markdown } from '@/components/ui/text/markdown';
import { matchSizeLabel } from '@/domain/tournaments/words';

/** What the organizer says about the tournament, and how it is played. */
export function TournamentAbout({ slug }: { slug: string }) {
  const { description, gameName, formatOptions, teamSize, rosterMin, rosterMax, ...tournament } = useTournament(slug);
  const roster = rosterMin === rosterMax ? `${rosterMin} players` : `${rosterMin} to ${rosterMax} players`;
  const items = [
    {
      label: 'Matches',
      value: `${matchSizeLabel(teamSize)}${formatOptions.bestOf ? `, best of ${formatOptions.bestOf}` : ''}`,
    },
    ...(teamSize > 1 ? [{ label: 'Roster', value: roster }] : []),
    {
      label: 'Entry',
      value: tournament.requiresApproval ? 'With the organizer’s approval' : 'First come, first served',
    },
    ...(tournament.requiresAntiCheat ? [{ label: 'Anti-cheat', value: 'Client must run at check-in' }] : []),
    { label: 'Cancelling', value: tournament.allowCancel ? 'Until the start' : 'Only by the organizer' },
    { label: 'Organizer’s time', value: tournament.timezone.replaceAll('_', ' ') },
  ];
  return (
    <section aria-label="About" className="grid grid-cols-1 gap-x-10 gap-y-6 md:grid-cols-[minmax(0,1fr)_16rem]">
      <div className="min-w-0">
        {description.trim() ? (
          <Markdown>{description}</Markdown>
        ) : (
          <p className="text-muted sm:text-base">
            {gameName}, {matchSizeLabel(teamSize)}. The organizer has written nothing more about it.
          </p>
        )}
      </div>
      <Facts items={items} />
    </section>
  );
}
