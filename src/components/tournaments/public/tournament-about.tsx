'use client';

import { rosterSizeText } from '@/components/tournaments/registration/registration-form';
import { useTournament } from '@/components/tournaments/use-tournament';
import { Facts } from '@/components/ui/data/card';
import { Markdown } from '@/components/ui/text/markdown';
import { matchSizeLabel } from '@/domain/tournaments/words';

/** The organizer's description of the tournament, and how it is played. */
export function TournamentAbout({ slug }: { slug: string }) {
  const { description, formatOptions, teamSize, rosterMin, rosterMax, ...tournament } = useTournament(slug);
  const roster = rosterSizeText({ rosterMin, rosterMax });
  const items = [
    {
      label: 'Match format',
      value: `${matchSizeLabel(teamSize)}${formatOptions.bestOf ? `, best of ${formatOptions.bestOf}` : ''}`,
    },
    ...(teamSize > 1 ? [{ label: 'Roster', value: roster }] : []),
    {
      label: 'Registration',
      value: tournament.requiresApproval ? 'Approved by the organizer' : 'First come, first served',
    },
    ...(tournament.requiresAntiCheat ? [{ label: 'Anti-cheat', value: 'Client must be running at check-in' }] : []),
    { label: 'Cancellation', value: tournament.allowCancel ? 'Until the start' : 'Only by the organizer' },
    { label: 'Time zone', value: tournament.timezone.replaceAll('_', ' ') },
  ];
  return (
    <section aria-label="About" className="grid grid-cols-1 gap-x-10 gap-y-6 md:grid-cols-[minmax(0,1fr)_16rem]">
      <div className="min-w-0">
        {description.trim() ? (
          <Markdown>{description}</Markdown>
        ) : (
          <p className="text-muted sm:text-base">No description yet.</p>
        )}
      </div>
      <Facts items={items} />
    </section>
  );
}
