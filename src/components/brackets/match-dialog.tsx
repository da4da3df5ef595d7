'use client';

import { ArrowRight, Star } from 'lucide-react';
import { GameTable } from '@/components/brackets/game-table';
import { MatchFacts } from '@/components/brackets/match-facts';
import { describeNext, slotName } from '@/components/brackets/match-words';
import type { BracketMatch } from '@/components/brackets/types';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { Dialog } from '@/components/ui/overlay/dialog';

type Props = {
  match: BracketMatch;
  roundName: string;
  href: string;
  follow: string | null;
  onFollow: (participantId: string | null) => void;
  /** Opens links in a new tab, because the page is framed by another. */
  framed?: boolean;
  onClose: () => void;
};

/** A match in the bracket: its games, when it is, and where it leads. */
export function MatchDialog({ match, roundName, href, follow, onFollow, framed = false, onClose }: Props) {
  const next = describeNext(match);
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={`${roundName} · M${match.number}`}
      footer={
        <ButtonLink
          href={href}
          variant="primary"
          target={framed ? '_blank' : undefined}
          icon={<ArrowRight aria-hidden />}
        >
          Open match
        </ButtonLink>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        <MatchFacts match={match} />
        <GameTable match={match} />
        {next ? <p className="text-muted">{next}</p> : null}
        <div className="flex flex-wrap gap-2">
          {match.slots.map((slot) => {
            const id = slot.participantId;
            if (id === null) return null;
            const isFollowed = follow === id;
            return (
              <Button
                key={id}
                size="sm"
                icon={<Star aria-hidden className={isFollowed ? 'fill-accent text-accent' : undefined} />}
                onClick={() => {
                  onFollow(isFollowed ? null : id);
                  onClose();
                }}
              >
                <span className="max-w-48 truncate">
                  {isFollowed ? 'Stop following' : 'Follow'} <bdi>{slotName(slot)}</bdi>
                </span>
              </Button>
            );
          })}
        </div>
      </div>
    </Dialog>
  );
}
