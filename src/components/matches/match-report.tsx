import { CircleAlert, ClipboardCheck } from 'lucide-react';
import { isOver } from '@/components/brackets/match-words';
import { ReportedResults } from '@/components/matches/reported-results';
import type { Match } from '@/components/matches/types';

/** What the sides have reported and nobody has decided yet. Renders nothing when there is nothing. */
export function MatchReport({ match }: { match: Match }) {
  const isDisputed = match.status === 'disputed';
  if (isOver(match) || (!isDisputed && !match.report)) return null;
  return (
    <div className="flex gap-3 rounded border border-line-strong bg-surface p-4">
      {isDisputed ? (
        <CircleAlert aria-hidden className="size-5 shrink-0 text-danger" />
      ) : (
        <ClipboardCheck aria-hidden className="size-5 shrink-0 text-live" />
      )}
      <div className="grid min-w-0 gap-1">
        <p className="font-medium">
          {isDisputed ? 'The result is disputed. A moderator will decide.' : 'A result is reported.'}
        </p>
        <ReportedResults match={match} />
      </div>
    </div>
  );
}
