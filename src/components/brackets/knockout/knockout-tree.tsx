'use client';

import { ChevronsLeft, ChevronsRight } from 'lucide-react';
import type { CSSProperties } from 'react';
import {
  type Block,
  type BracketLayout,
  type Champion,
  type Column,
  cardWidth,
  foldedWidth,
} from '@/components/brackets/knockout/layout';
import { MatchCard } from '@/components/brackets/match-card';
import type { BracketMatch } from '@/components/brackets/types';
import { counted } from '@/domain/text/counted';

export type MatchHref = (match: BracketMatch) => string;

type Props = {
  layout: BracketLayout;
  href: MatchHref;
  follow: string | null;
  champion: Champion | null;
  /** Folds so many rounds at the start of a block. */
  onFold: (block: Block, rounds: number) => void;
};

const vars = (values: Record<`--${string}`, string | number>) => values as CSSProperties;

const isIn = (match: BracketMatch, participantId: string | null) =>
  participantId !== null && match.slots.some((slot) => slot.participantId === participantId);

function ColumnHead({ column, onFold }: { column: Column; onFold: Props['onFold'] }) {
  const { round, block, position, folded } = column;
  const canFold = block === 'tree' || block === 'losers';
  if (folded) {
    return (
      <>
        <h3 className="bracket-head bracket-unfolded display text-base">{round.name}</h3>
        <button
          type="button"
          onClick={() => onFold(block, position - 1)}
          title={`Show ${round.name}`}
          className="bracket-fold flex h-full w-full flex-col items-center gap-2 rounded border bg-sunken py-2 text-muted hover:bg-hover hover:text-ink"
        >
          <ChevronsRight aria-hidden className="size-4 shrink-0" />
          <span className="text-xs whitespace-nowrap [writing-mode:vertical-rl]">
            {round.name} · {counted(round.matches.length, 'match', 'matches')}
          </span>
        </button>
      </>
    );
  }
  return (
    <div className="bracket-head flex items-center justify-between gap-2">
      <h3 className="display truncate text-base">{round.name}</h3>
      {canFold ? (
        <button
          type="button"
          onClick={() => onFold(block, position)}
          aria-label={`Fold ${round.name}`}
          title="Fold this round and those before it"
          className="bracket-fold grid size-7 shrink-0 place-items-center rounded text-faint hover:bg-hover hover:text-ink print:hidden"
        >
          <ChevronsLeft aria-hidden className="size-4" />
        </button>
      ) : null}
    </div>
  );
}

/** A knockout stage: rounds as columns with lines between them, or as pages on a phone. */
export function KnockoutTree({ layout, href, follow, champion, onFold }: Props) {
  const { columns, lines, width, height } = layout;
  return (
    <>
      <svg
        aria-hidden
        className="bracket-lines"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        focusable="false"
      >
        {lines.map(({ from, to, points, participantId }) => (
          <path
            key={`${from}-${to}`}
            d={`M${points.map((point) => point.join(' ')).join('L')}`}
            data-followed={follow !== null && participantId === follow ? '' : undefined}
          />
        ))}
      </svg>
      {columns.map((column) => (
        <section
          key={`${column.block}-${column.key}`}
          aria-label={column.round.name}
          data-round={column.key}
          data-folded={column.folded || undefined}
          className="bracket-column"
          style={vars({
            '--x': column.x,
            '--top': column.top,
            '--column-height': column.height,
            '--column-width': `${column.folded ? foldedWidth : cardWidth}rem`,
          })}
        >
          <ColumnHead column={column} onFold={onFold} />
          <ol className="bracket-matches">
            {(column.folded ? column.round.matches.map((match) => ({ match, y: 0 })) : column.matches).map(
              ({ match, y }) => (
                <li key={match.number} className="bracket-place" style={vars({ '--y': y })}>
                  <MatchCard
                    match={match}
                    href={href(match)}
                    followed={isIn(match, follow) ? follow : null}
                    champion={champion?.match === match.number ? champion.participantId : null}
                  />
                </li>
              ),
            )}
          </ol>
        </section>
      ))}
    </>
  );
}
