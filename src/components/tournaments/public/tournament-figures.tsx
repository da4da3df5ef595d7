'use client';

import { useServerNow } from '@/components/tournaments/use-server-now';
import { type Tournament, useTournament } from '@/components/tournaments/use-tournament';
import { cn } from '@/components/ui/cn';
import { Stat } from '@/components/ui/data/stat';
import { Countdown } from '@/components/ui/text/countdown';
import { DateTime } from '@/components/ui/text/date-time';
import { formatMoney } from '@/domain/money/money';
import { phaseChanges } from '@/domain/tournaments/phase';
import { countParticipants } from '@/domain/tournaments/words';

function Capacity({ tournament, isUpcoming }: { tournament: Tournament; isUpcoming: boolean }) {
  const { maxParticipants, currentParticipants, waitlistedParticipants, waitlistEnabled, teamSize } = tournament;
  const left = Math.max(0, maxParticipants - currentParticipants);
  const waiting = waitlistedParticipants > 0 ? `, ${waitlistedParticipants.toLocaleString('en')} on the waitlist` : '';
  return (
    <Stat
      label={isUpcoming ? 'Slots left' : 'Participants'}
      value={
        <>
          {(isUpcoming ? left : currentParticipants).toLocaleString('en')}
          <span className="text-lg text-faint"> of {maxParticipants.toLocaleString('en')}</span>
        </>
      }
      hint={
        <>
          <span
            role="progressbar"
            aria-label="Slots taken"
            aria-valuemin={0}
            aria-valuemax={maxParticipants}
            aria-valuenow={currentParticipants}
            className="mb-1.5 block h-1 overflow-hidden rounded-full bg-line"
          >
            <span
              className="block h-full rounded-full bg-accent transition-[width]"
              style={{ width: `${Math.min(100, (currentParticipants / maxParticipants) * 100)}%` }}
            />
          </span>
          {isUpcoming
            ? `${countParticipants(currentParticipants, teamSize)} registered${waiting || (waitlistEnabled ? ', waitlist available' : '')}`
            : null}
        </>
      }
    />
  );
}

/** The figures players look for: start, slots, prize pool and entry fee. */
export function TournamentFigures({ slug }: { slug: string }) {
  const tournament = useTournament(slug);
  const now = useServerNow(tournament.serverTime, phaseChanges(tournament));
  const { startDate, timezone, entryFee, prizePool, teamSize } = tournament;
  const isUpcoming = now < Date.parse(startDate) && ['DRAFT', 'PUBLISHED'].includes(tournament.status);
  const costs = entryFee !== null && entryFee.amount > 0;
  return (
    <div
      className={cn(
        'grid grid-cols-2 overflow-hidden rounded border bg-surface *:-mt-px *:-ml-px *:border-t *:border-l max-md:*:first:col-span-2',
        prizePool ? 'max-md:*:nth-2:col-span-2 md:grid-cols-[1.5fr_1.25fr_1fr_1fr]' : 'md:grid-cols-[1.5fr_1.25fr_1fr]',
      )}
    >
      <Stat
        label={isUpcoming ? 'Starts in' : 'Start'}
        value={
          isUpcoming ? (
            <Countdown to={startDate} label="Starts" className="text-3xl" />
          ) : (
            <DateTime value={startDate} style="date" organizerZone={timezone} />
          )
        }
        hint={
          <DateTime
            value={startDate}
            style={isUpcoming ? 'full' : 'time'}
            organizerZone={timezone}
            className="text-sm text-muted"
          />
        }
      />
      <Capacity tournament={tournament} isUpcoming={isUpcoming} />
      {prizePool ? <Stat label="Prize pool" value={formatMoney(prizePool)} /> : null}
      <Stat
        label="Entry fee"
        value={costs ? formatMoney(entryFee) : 'Free'}
        hint={costs ? (teamSize > 1 ? 'Each team' : 'Each player') : null}
      />
    </div>
  );
}
