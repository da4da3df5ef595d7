import { CircleAlert, Radio, Trophy } from 'lucide-react';
import { memo } from 'react';
import {
  isBye,
  isOver,
  matchTime,
  shownStatus,
  slotName,
  slotResult,
  slotScore,
} from '@/components/brackets/match-words';
import type { BracketMatch, MatchSlot } from '@/components/brackets/types';
import { cn } from '@/components/ui/cn';
import { DateTime } from '@/components/ui/text/date-time';

type Props = {
  match: BracketMatch;
  /** The match's own page. */
  href: string;
  /** The followed participant, if they are in this match. */
  followed: string | null;
  /** The winner of the tournament, if this match made them so. */
  champion: string | null;
};

function SlotRow({ slot, followed, champion }: { slot: MatchSlot; followed: boolean; champion: boolean }) {
  const won = slot.result === 'win';
  return (
    <span
      data-participant={slot.participantId ?? undefined}
      className={cn(
        'flex h-6.5 items-center gap-1.5 pr-2 pl-1.5',
        followed && 'bg-accent-soft',
        champion && 'bg-gold-soft text-gold',
      )}
    >
      <span className="figure w-6 shrink-0 text-end text-xs text-faint">
        {slot.seed === null ? null : (
          <>
            <span className="sr-only">Seed </span>
            {slot.seed}
          </>
        )}
      </span>
      <span
        className={cn(
          'min-w-0 flex-1 truncate',
          slot.participantId === null && 'text-xs text-faint',
          slot.participantId !== null && slot.result !== null && !won && 'text-muted',
          won && 'font-semibold',
        )}
      >
        <bdi>{slotName(slot)}</bdi>
      </span>
      {champion ? <Trophy aria-label="Champion" role="img" className="size-3.5 shrink-0" /> : null}
      <span className="sr-only">{slotResult(slot)}</span>
      <span className={cn('figure min-w-4 text-end', won && !champion ? 'text-accent' : !champion && 'text-muted')}>
        {slotScore(slot)}
      </span>
    </span>
  );
}

function MatchState({ match }: { match: BracketMatch }) {
  const status = shownStatus(match);
  if (status === 'in_progress') {
    return (
      <span className="inline-flex items-center gap-1 font-medium text-live">
        <Radio aria-hidden className="size-3" />
        Live
      </span>
    );
  }
  if (status === 'disputed') {
    return (
      <span className="inline-flex items-center gap-1 font-medium text-danger">
        <CircleAlert aria-hidden className="size-3" />
        Disputed
      </span>
    );
  }
  if (status === 'reported') return <span>Reported</span>;
  const at = matchTime(match);
  if (at) return <DateTime value={at} style="short" />;
  return isOver(match) ? <span>Finished</span> : null;
}

/** A participant who advances without a match. */
function ByeCard({ match, followed }: { match: BracketMatch; followed: boolean }) {
  const present = match.slots.find(({ source }) => source.type !== 'bye') ?? match.slots[0];
  return (
    <div
      data-match={match.number}
      className={cn(
        'flex h-8 items-center gap-1.5 rounded border border-dashed border-line-strong pr-2 pl-1.5 text-muted',
        followed && 'bg-accent-soft',
      )}
    >
      <span className="figure w-6 shrink-0 text-end text-xs text-faint">{present.seed}</span>
      <span className={cn('min-w-0 flex-1 truncate', present.participantId === null && 'text-xs text-faint')}>
        <bdi>{slotName(present)}</bdi>
      </span>
      <span className="label text-faint">Bye</span>
    </div>
  );
}

/** One match in the bracket. It is a link; the bracket opens its games in place. */
export const MatchCard = memo(function MatchCard({ match, href, followed, champion }: Props) {
  if (isBye(match)) return <ByeCard match={match} followed={followed !== null} />;
  const status = shownStatus(match);
  return (
    <a
      href={href}
      data-match={match.number}
      className={cn(
        'block overflow-hidden rounded border bg-surface text-sm hover:border-line-strong hover:bg-hover',
        status === 'in_progress' && 'border-live',
        status === 'disputed' && 'border-danger',
        followed && 'border-accent ring-1 ring-accent',
      )}
    >
      <span className="flex h-5 items-center justify-between gap-2 border-b bg-sunken px-2 text-xs text-faint">
        <span className="whitespace-nowrap">
          <span className="figure">M{match.number}</span>
          {match.bestOf > 1 ? (
            <>
              {' · '}
              <abbr title={`Best of ${match.bestOf}`} className="no-underline">
                Bo{match.bestOf}
              </abbr>
            </>
          ) : null}
        </span>
        <span className="truncate">
          <MatchState match={match} />
        </span>
      </span>
      {match.slots.map((slot, index) => (
        <SlotRow
          key={index === 0 ? 'first' : 'second'}
          slot={slot}
          followed={followed !== null && slot.participantId === followed}
          champion={champion !== null && slot.participantId === champion}
        />
      ))}
    </a>
  );
});
