'use client';

import dynamic from 'next/dynamic';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { rosterSizeText } from '@/components/tournaments/registration/roster-size-text';
import { useTournament } from '@/components/tournaments/use-tournament';
import { Facts } from '@/components/ui/data/card';
import { matchSizeLabel } from '@/domain/tournaments/words';

// The server renders the description; the library is loaded only when somebody changes it meanwhile.
const Markdown = dynamic(() => import('@/components/ui/text/markdown').then((module) => module.Markdown));

/**
 * The organizer's description of the tournament, and how it is played. `rendered` is the description as the server has
 * rendered it.
 */
export function TournamentAbout({ slug, rendered }: { slug: string; rendered: { text: string; content: ReactNode } }) {
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
    ...(tournament.requiresAntiCheat
      ? [
          {
            label: 'Anti-cheat',
            value: (
              <Link
                href={`/settings/anti-cheat?project=${tournament.project.id}`}
                className="underline underline-offset-4"
              >
                Client must be running at check-in
              </Link>
            ),
          },
        ]
      : []),
    { label: 'Cancellation', value: tournament.allowCancel ? 'Until the start' : 'Only by the organizer' },
    { label: 'Time zone', value: tournament.timezone.replaceAll('_', ' ') },
  ];
  return (
    <section aria-label="About" className="grid grid-cols-1 gap-x-10 gap-y-6 md:grid-cols-[minmax(0,1fr)_16rem]">
      <div className="min-w-0">
        {description.trim() ? (
          description === rendered.text ? (
            rendered.content
          ) : (
            <Markdown>{description}</Markdown>
          )
        ) : (
          <p className="text-muted sm:text-base">No description yet.</p>
        )}
      </div>
      <Facts items={items} />
    </section>
  );
}
