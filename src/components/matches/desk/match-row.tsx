'use client';

import type { ComponentProps } from 'react';
import { isOver, shownStatus } from '@/components/brackets/match-words';
import { MatchActions } from '@/components/matches/actions/match-actions';
import { nameIn } from '@/components/matches/actions/match-names';
import { CallTime, MatchPlace } from '@/components/matches/desk/match-place';
import type { ListedMatch } from '@/components/matches/desk/sections';
import { ReportedResults } from '@/components/matches/reported-results';
import { ProposedTime } from '@/components/matches/schedule/proposed-time';
import type { Match } from '@/components/matches/types';
import { cn } from '@/components/ui/cn';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { DateTime } from '@/components/ui/text/date-time';

function Side({ match, side }: { match: Match; side: 0 | 1 }) {
  const { participantId, score, result, seed } = match.slots[side];
  const outcome = result === 'forfeit' ? 'Forfeit' : (score ?? (result === 'win' ? 'Won' : null));
  return (
    <span className={cn('flex min-w-0 items-baseline gap-2', result === 'win' && 'font-semibold')}>
      <span className="figure w-6 shrink-0 text-end text-xs text-faint">{seed}</span>
      <bdi className="truncate">{nameIn(match, participantId)}</bdi>
      <span className="figure ml-auto shrink-0">{outcome}</span>
    </span>
  );
}

function Times({ match }: { match: Match }) {
  const { completedAt, startedAt, scheduledAt } = match;
  const at = isOver(match) ? completedAt : (startedAt ?? scheduledAt);
  if (at === null) return null;
  return (
    <p className="text-muted">
      {isOver(match) ? 'Decided' : startedAt ? 'Began' : 'Scheduled for'} <DateTime value={at} style="short" />
    </p>
  );
}

/** One match on the desk: who plays, what was reported, and what to do about it. */
export function MatchRow({
  listed,
  tournamentId,
  ...place
}: { listed: ListedMatch; tournamentId: string } & Omit<ComponentProps<typeof MatchPlace>, 'match'>) {
  const { match, roundName } = listed;
  return (
    <li
      data-match={match.number}
      tabIndex={-1}
      className="grid focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent grid-cols-1 gap-x-6 gap-y-3 px-4 py-3 md:grid-cols-[9rem_minmax(0,1fr)] 2xl:grid-cols-[9rem_minmax(0,1fr)_minmax(0,1.4fr)]"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 md:grid md:content-start">
        <span className="flex min-w-0 items-baseline gap-2">
          <span className="figure">M{match.number}</span>
          <span className="truncate text-muted">{roundName}</span>
        </span>
        <span>
          <StatusBadge kind="match" status={shownStatus(match)} />
        </span>
      </div>
      <div className="grid min-w-0 grid-cols-1 content-start gap-1">
        <Side match={match} side={0} />
        <Side match={match} side={1} />
      </div>
      <div className="grid min-w-0 grid-cols-1 content-start gap-2 md:col-start-2 2xl:col-start-3">
        <Times match={match} />
        {isOver(match) ? null : <ReportedResults match={match} />}
        <CallTime match={match} timeIsOver={place.timeIsOver} />
        <ProposedTime match={match} canManage myParticipantId={null} />
        <MatchActions match={match} tournamentId={tournamentId} viewer={{ canManage: true, myParticipantId: null }} />
        {isOver(match) ? null : <MatchPlace match={match} {...place} />}
      </div>
    </li>
  );
}
