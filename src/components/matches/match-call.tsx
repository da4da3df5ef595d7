'use client';

import { BellRing } from 'lucide-react';
import type { Match } from '@/components/matches/types';
import { Countdown } from '@/components/ui/text/countdown';
import { DateTime } from '@/components/ui/text/date-time';

/** Tells a called player where to go and until when; to others it says that the players were called. */
export function MatchCall({
  match,
}: {
  match: Pick<Match, 'calledAt' | 'showUpBy' | 'station'> & { me: { participantId: string | null } };
}) {
  const { showUpBy, station, me } = match;
  if (showUpBy === null) return null;
  const who = me.participantId === null ? 'The players are called' : 'You are called';
  return (
    <p
      role="status"
      className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded border border-accent bg-accent-soft px-4 py-3"
    >
      <BellRing aria-hidden className="size-4 text-accent" />
      <span className="font-medium">
        {who}
        {station ? (
          <>
            {' to '}
            <bdi>{station}</bdi>
          </>
        ) : null}
        , be there by <DateTime value={showUpBy} style="time" />.
      </span>
      <span className="ml-auto">
        <Countdown to={showUpBy} label="Time to show up" ended="Time is over" size="sm" />
      </span>
    </p>
  );
}
