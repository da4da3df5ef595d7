'use client';

import { CalendarClock, CircleAlert, ClipboardCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import type { BracketMatch } from '@/components/brackets/types';
import { Countdown } from '@/components/ui/text/countdown';
import { DateTime } from '@/components/ui/text/date-time';

type Report = NonNullable<BracketMatch['counterReport']>;

/** A reported result in words: `2–1 (13–9, 8–13, 13–11)`. */
function describeGames(match: BracketMatch, report: Report): string {
  const won = match.slots.map(
    ({ participantId }) =>
      report.games.filter(({ winnerId }) => winnerId !== null && winnerId === participantId).length,
  );
  const scores = report.games.flatMap(({ scores: pair }) => (pair ? [`${pair[0]}–${pair[1]}`] : []));
  const winner = match.slots.find(({ participantId }) => participantId === report.winnerId)?.name;
  const total = report.games.length > 0 ? `${won[0]}–${won[1]}` : '';
  const detail = scores.length > 0 ? ` (${scores.join(', ')})` : '';
  return [winner ? `${winner} won` : null, `${total}${detail}`].filter(Boolean).join(', ');
}

function Notice({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="flex gap-3 rounded border border-line-strong bg-surface p-4 [&>svg]:size-5 [&>svg]:shrink-0">
      {icon}
      <div className="grid min-w-0 gap-1 wrap-anywhere">{children}</div>
    </div>
  );
}

/** What the sides have reported or proposed and nobody has decided yet. */
export function MatchReport({ match }: { match: BracketMatch }) {
  const { report, counterReport, proposal, status } = match;
  const nameOf = (id: string) => match.slots.find(({ participantId }) => participantId === id)?.name ?? 'A participant';
  const open = status === 'in_progress' || status === 'disputed' || status === 'ready' || status === 'scheduled';
  if (!open) return null;
  return (
    <>
      {status === 'disputed' ? (
        <Notice icon={<CircleAlert aria-hidden className="text-danger" />}>
          <p className="font-medium">The result is disputed. A moderator will decide.</p>
          {[report, counterReport].map((one) =>
            one ? (
              <p key={one.by} className="text-muted">
                <bdi>{nameOf(one.by)}</bdi> reported: {describeGames(match, one)}.
              </p>
            ) : null,
          )}
        </Notice>
      ) : report ? (
        <Notice icon={<ClipboardCheck aria-hidden className="text-live" />}>
          <p className="font-medium">
            <bdi>{nameOf(report.by)}</bdi> reported: {describeGames(match, report)}.
          </p>
          {report.confirmBy ? (
            <p className="flex flex-wrap items-baseline gap-x-1.5 text-muted">
              Without an answer it counts in
              <Countdown to={report.confirmBy} label="The reported result counts" size="sm" className="text-ink" />
            </p>
          ) : null}
        </Notice>
      ) : null}
      {proposal ? (
        <Notice icon={<CalendarClock aria-hidden className="text-live" />}>
          <p>
            <bdi>{nameOf(proposal.by)}</bdi> proposes to play on <DateTime value={proposal.scheduledAt} />.
          </p>
        </Notice>
      ) : null}
    </>
  );
}
