'use client';

import { useMoment } from '@/components/tournaments/use-moment';
import { useTournament } from '@/components/tournaments/use-tournament';
import { Countdown } from '@/components/ui/countdown';
import { DateTime } from '@/components/ui/date-time';
import { Stat, StatRow } from '@/components/ui/stat';
import { formatMoney } from '@/lib/money';
import { turningPoints } from '@/lib/tournament-phase';
import { entrantsWord } from '@/lib/tournament-words';

/** The four figures a player looks for: when, how many slots, what it costs and what is to win. */
export function TournamentFigures({ slug }: { slug: string }) {
  const tournament = useTournament(slug);
  const now = useMoment(tournament.serverTime, turningPoints(tournament));
  const { startDate, timezone, maxParticipants, currentParticipants, waitlistedParticipants, entryFee, prizePool } =
    tournament;
  const left = Math.max(0, maxParticipants - currentParticipants);
  const ahead = now < Date.parse(startDate) && ['DRAFT', 'PUBLISHED'].includes(tournament.status);
  return (
    <StatRow>
      <Stat
        label={ahead ? 'Starts in' : 'Start'}
        value={
          ahead ? (
            <Countdown to={startDate} label="Starts" className="text-3xl" />
          ) : (
            <DateTime value={startDate} style="date" organizerZone={timezone} className="text-2xl" />
          )
        }
        hint={<DateTime value={startDate} organizerZone={timezone} />}
      />
      <Stat
        label="Slots left"
        value={
          <>
            {left.toLocaleString('en')}
            <span className="text-lg text-faint"> of {maxParticipants.toLocaleString('en')}</span>
          </>
        }
        hint={
          waitlistedParticipants > 0
            ? `${entrantsWord(waitlistedParticipants, tournament.teamSize)} on the waitlist`
            : tournament.waitlistEnabled
              ? 'With a waitlist'
              : 'No waitlist'
        }
      />
      <Stat
        label="Prize pool"
        value={prizePool ? formatMoney(prizePool) : <span className="text-faint">None</span>}
        hint={prizePool ? undefined : 'For the glory'}
      />
      <Stat
        label="Entry fee"
        value={entryFee && entryFee.amount > 0 ? formatMoney(entryFee) : 'Free'}
        hint={entryFee && entryFee.amount > 0 ? (tournament.teamSize > 1 ? 'Each team' : 'Each player') : undefined}
      />
    </StatRow>
  );
}
