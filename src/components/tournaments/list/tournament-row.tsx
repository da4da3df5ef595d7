'use client';

import Link from 'next/link';
import { DayBlock } from '@/components/tournaments/list/day-block';
import { Slots } from '@/components/tournaments/list/slots';
import { PhaseBadge } from '@/components/tournaments/phase-badge';
import { useServerNow } from '@/components/tournaments/use-server-now';
import { useSparingRefresh } from '@/components/ui/page/auto-refresh';
import { Countdown } from '@/components/ui/text/countdown';
import { formatMoney } from '@/domain/money/money';
import { phaseChanges, tournamentPhase } from '@/domain/tournaments/phase';
import { formatLabel, matchSizeLabel } from '@/domain/tournaments/words';
import type { Outputs } from '@/trpc/outputs';

export type TournamentSummary = Outputs['tournaments']['list']['items'][number];

const registrationOverPhases = new Set(['overdue', 'live', 'completed', 'cancelled']);
const countdownPhases = new Set(['open', 'waitlist', 'soon', 'check_in', 'full', 'closed']);

function Facts({ tournament }: { tournament: TournamentSummary }) {
  const { gameName, format, teamSize, prizePool, entryFee, project } = tournament;
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-muted">
      <span className="min-w-0 font-medium wrap-anywhere text-ink">{gameName}</span>
      <span>
        {matchSizeLabel(teamSize)} <span className="max-sm:hidden">· {formatLabel(format)}</span>
      </span>
      {prizePool ? <span>{formatMoney(prizePool)} prize pool</span> : null}
      {entryFee && entryFee.amount > 0 ? <span>{formatMoney(entryFee)} entry fee</span> : null}
      <span className="max-w-60 min-w-0 truncate text-faint max-sm:hidden">
        <bdi>{project.name}</bdi>
      </span>
    </p>
  );
}

/** One tournament; the whole row links to it. */
export function TournamentRow({ tournament, level = 3 }: { tournament: TournamentSummary; level?: 2 | 3 }) {
  const refresh = useSparingRefresh();
  const now = useServerNow(tournament.serverTime, phaseChanges(tournament));
  const { phase, next } = tournamentPhase(tournament, now);
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <li className="relative flex gap-4 border-b px-4 py-4 last:border-b-0 hover:bg-hover has-[a:focus-visible]:bg-hover sm:items-center sm:gap-6 sm:px-5">
      <DayBlock value={tournament.startDate} organizerZone={tournament.timezone} />
      <div className="flex min-w-0 flex-1 flex-col gap-x-6 gap-y-3 md:flex-row md:items-center">
        <div className="grid min-w-0 flex-1 grid-cols-1 gap-0.5">
          <Heading className="min-w-0">
            <Link
              href={`/tournaments/${tournament.slug}`}
              className="display line-clamp-2 text-lg wrap-anywhere after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
            >
              <bdi>{tournament.name}</bdi>
            </Link>
          </Heading>
          <Facts tournament={tournament} />
        </div>
        <Slots
          taken={tournament.currentParticipants}
          of={tournament.maxParticipants}
          teamSize={tournament.teamSize}
          registrationOver={registrationOverPhases.has(phase)}
          className="max-md:order-last"
        />
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 md:w-44 md:flex-col md:items-end">
          <PhaseBadge phase={phase} />
          {next && countdownPhases.has(phase) ? (
            <p className="flex items-baseline gap-1.5 text-xs whitespace-nowrap text-muted">
              {next.label} in
              <Countdown
                to={new Date(next.at)}
                label={`${tournament.name}: ${next.label}`}
                thresholds={[]}
                size="sm"
                onEnd={refresh}
              />
            </p>
          ) : null}
        </div>
      </div>
    </li>
  );
}
