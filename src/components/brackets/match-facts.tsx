import { isBye, isOver, matchTime, shownStatus } from '@/components/brackets/match-words';
import type { BracketMatch } from '@/components/brackets/types';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { DateTime } from '@/components/ui/text/date-time';

/** A match's status, time and length in one line. */
export function MatchFacts({ match, organizerZone }: { match: BracketMatch; organizerZone?: string }) {
  const at = matchTime(match);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
      <StatusBadge kind="match" status={shownStatus(match)} />
      {at ? <DateTime value={at} organizerZone={organizerZone} /> : null}
      {at || isOver(match) ? null : <span>No time set yet</span>}
      {isBye(match) ? null : <span>{match.bestOf === 1 ? 'Single game' : `Best of ${match.bestOf}`}</span>}
    </div>
  );
}
