'use client';

import { ArrowRight } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { matchPath } from '@/components/brackets/match-words';
import { describeNextMatch } from '@/components/matches/next-match-words';
import { ProposedTime } from '@/components/matches/schedule/proposed-time';
import { CalendarLink } from '@/components/tournaments/calendar-link';
import { cn } from '@/components/ui/cn';
import { ButtonLink } from '@/components/ui/form/button';
import { Countdown } from '@/components/ui/text/countdown';
import { DateTime } from '@/components/ui/text/date-time';
import type { Outputs } from '@/trpc/outputs';

type Props = {
  match: Outputs['matches']['myNextMatches'][number];
  /** Named where the card is not on the tournament's own page. */
  tournamentName?: string;
};

/** A player's next match: opponent, time and what to do. */
export function NextMatch({ match, tournamentName }: Props) {
  const pathname = usePathname();
  const { participantId } = match.me;
  const { slug, resultMode } = match.tournament;
  // The match's own page says it already.
  const isHere = pathname === matchPath(slug, match);
  const { opponent, advice, urgent, until } = describeNextMatch(match, participantId, resultMode);
  return (
    <section
      aria-label={tournamentName ? `Your next match in ${tournamentName}` : 'Your next match'}
      className={cn(
        'mb-8 flex flex-wrap items-center gap-x-8 gap-y-4 rounded border p-5 print:hidden',
        urgent ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface',
      )}
    >
      <div className="grid min-w-0 flex-1 basis-64 gap-1">
        <p className="text-muted wrap-anywhere">
          Your next match
          {tournamentName ? (
            <>
              {' in '}
              <bdi>{tournamentName}</bdi>
            </>
          ) : null}
        </p>
        <p className="display text-xl wrap-anywhere">
          vs <bdi>{opponent}</bdi>
        </p>
        <p>{advice}</p>
        {isHere ? null : <ProposedTime match={match} canManage={false} myParticipantId={participantId} />}
      </div>
      <div className="grid gap-1 text-muted">
        <span>
          M{match.number} · {match.bestOf === 1 ? 'Single game' : `Best of ${match.bestOf}`}
        </span>
        {match.station && !match.calledAt ? <bdi className="text-ink">{match.station}</bdi> : null}
        {match.calledAt && match.showUpBy ? (
          <span className="text-ink">
            Be there by <DateTime value={match.showUpBy} style="time" />
          </span>
        ) : match.scheduledAt ? (
          <DateTime value={match.scheduledAt} style="short" className="text-ink" />
        ) : null}
        {until ? (
          <span className="flex items-baseline gap-1.5">
            {until.label} in{' '}
            <Countdown to={until.at} label={until.label} ended="a moment" size="sm" className="text-ink" />
          </span>
        ) : null}
      </div>
      {match.scheduledAt ? <CalendarLink slug={slug} participantId={participantId} /> : null}
      <ButtonLink
        href={matchPath(slug, match)}
        variant={urgent ? 'primary' : 'secondary'}
        icon={<ArrowRight aria-hidden />}
        className="max-sm:w-full"
      >
        Open match
      </ButtonLink>
    </section>
  );
}
