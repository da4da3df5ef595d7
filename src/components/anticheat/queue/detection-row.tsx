import { Paperclip } from 'lucide-react';
import Link from 'next/link';
import type { MouseEvent } from 'react';
import { playerName } from '@/components/anticheat/player-name';
import type { QueueItem } from '@/components/anticheat/types';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { RelativeTime } from '@/components/ui/text/date-time';
import { counted } from '@/domain/text/counted';

/** A detection in the queue: what was found about whom, and where. */
export function DetectionRow({
  item,
  href,
  isSelected,
  onOpen,
}: {
  item: QueueItem;
  href: string;
  isSelected: boolean;
  onOpen: (event: MouseEvent) => void;
}) {
  const { severity, verdict, rule, player, match, matchId, evidenceCount, raisedAt } = item;
  return (
    <li className="border-b border-line last:border-b-0">
      <Link
        href={href}
        data-detection={item.id}
        aria-current={isSelected ? 'true' : undefined}
        onClick={onOpen}
        className="grid grid-cols-1 gap-1 border-l-2 border-transparent px-4 py-3 hover:bg-hover focus-visible:-outline-offset-2 lg:aria-[current=true]:border-accent lg:aria-[current=true]:bg-accent-soft"
      >
        <span className="flex items-center gap-2">
          <StatusBadge kind="severity" status={severity} />
          {verdict ? <StatusBadge kind="review" status={verdict} /> : null}
          <RelativeTime value={raisedAt} className="ml-auto text-xs whitespace-nowrap text-muted" />
        </span>
        <span className="font-medium text-ink">{rule}</span>
        <span className="flex min-w-0 items-center gap-3 text-muted">
          <span className="min-w-0 truncate">
            <bdi className="text-ink">{playerName(player)}</bdi>
            {' · '}
            {match ? (
              <>
                M{match.number} <bdi>{match.tournamentName}</bdi>
              </>
            ) : (
              <bdi>{matchId}</bdi>
            )}
          </span>
          {evidenceCount > 0 ? (
            <span className="ml-auto inline-flex shrink-0 items-center gap-1 text-xs">
              <Paperclip aria-hidden className="size-3.5" />
              <span aria-hidden>{evidenceCount}</span>
              <span className="sr-only">{counted(evidenceCount, 'file')} of evidence</span>
            </span>
          ) : null}
        </span>
      </Link>
    </li>
  );
}
