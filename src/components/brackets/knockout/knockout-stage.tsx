'use client';

import { FoldHorizontal, Network, Rows3, UnfoldHorizontal } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { FollowSelect } from '@/components/brackets/follow-select';
import { BracketViewport, ZoomControls } from '@/components/brackets/knockout/bracket-viewport';
import { KnockoutTree, type MatchHref } from '@/components/brackets/knockout/knockout-tree';
import {
  type Block,
  championOf,
  type Folded,
  finishedRounds,
  isRoundOver,
  layoutKnockout,
} from '@/components/brackets/knockout/layout';
import { RoundTabs } from '@/components/brackets/knockout/round-tabs';
import { showMatch } from '@/components/brackets/knockout/show-match';
import { useFrameCommands } from '@/components/brackets/knockout/use-frame-commands';
import { useZoom } from '@/components/brackets/knockout/use-zoom';
import { currentMatchOf } from '@/components/brackets/match-words';
import type { BracketStage } from '@/components/brackets/types';
import { useFollow } from '@/components/brackets/use-follow';
import { Button } from '@/components/ui/form/button';

/** Brackets with more matches than this begin with their finished rounds folded. */
const foldFrom = 31;

type Props = {
  stage: BracketStage;
  /** Whether its winner is the tournament's. */
  isLast: boolean;
  href: MatchHref;
  onOpen: (match: number) => void;
  /** Takes commands from the page around it. */
  framed: boolean;
};

/** A knockout stage with its controls. */
export function KnockoutStage({ stage, isLast, href, onOpen, framed }: Props) {
  const viewport = useRef<HTMLDivElement>(null);
  const zoom = useZoom(viewport);
  const [follow, setFollow] = useFollow();
  const [asTree, setAsTree] = useState(false);
  const matches = useMemo(() => stage.rounds.flatMap((round) => round.matches), [stage]);
  // Chosen once: a round that finishes while someone looks does not move the others.
  const [folded, setFolded] = useState<Folded>(() => (matches.length > foldFrom ? finishedRounds(stage) : {}));
  const layout = useMemo(() => layoutKnockout(stage, folded), [stage, folded]);
  // As wide as the page's other parts, or as the bracket with all rounds open, so that folding moves nothing else.
  const fullWidth = useMemo(() => layoutKnockout(stage).width, [stage]);
  const champion = useMemo(() => (isLast ? championOf(stage) : null), [stage, isLast]);
  const [initialRound] = useState(() => layout.columns.find(({ round }) => !isRoundOver(round))?.key);
  const finished = finishedRounds(stage);
  const canFold = Object.values(finished).some((count) => count > 0);
  const isFolded = Object.values(folded).some((count) => count > 0);

  const foldFinished = (on: boolean) => setFolded(on ? finished : {});
  useFrameCommands(framed, viewport, zoom, setFollow, foldFinished);

  const fold = useCallback((block: Block, rounds: number) => setFolded((now) => ({ ...now, [block]: rounds })), []);

  // Read through a ref: only following someone else scrolls the bracket, an update of its matches does not.
  const latest = useRef(matches);
  useEffect(() => {
    latest.current = matches;
  });
  useEffect(() => {
    const match = follow === null ? null : currentMatchOf(latest.current, follow);
    if (match) showMatch(viewport.current, match.number);
  }, [follow]);

  const { showAll } = zoom;
  useEffect(() => {
    if (asTree) showAll();
  }, [asTree, showAll]);

  return (
    <div
      className="mx-auto grid w-full grid-cols-1 gap-3 print:max-w-none!"
      style={{ maxWidth: `max(69rem, ${fullWidth + 4}rem)` }}
    >
      <div className="flex flex-wrap items-center gap-2 print:hidden">
        <FollowSelect matches={matches} value={follow} onChange={setFollow} />
        {canFold || isFolded ? (
          <span className="bracket-wide" data-tree={asTree ? '' : undefined}>
            <Button
              size="sm"
              variant="ghost"
              onClick={() => foldFinished(!isFolded)}
              icon={isFolded ? <UnfoldHorizontal aria-hidden /> : <FoldHorizontal aria-hidden />}
            >
              {isFolded ? 'Show all rounds' : 'Fold finished rounds'}
            </Button>
          </span>
        ) : null}
        <span className="bracket-wide ml-auto" data-tree={asTree ? '' : undefined}>
          <ZoomControls zoom={zoom} />
        </span>
        <span className="bracket-phone">
          <Button onClick={() => setAsTree(!asTree)} icon={asTree ? <Rows3 aria-hidden /> : <Network aria-hidden />}>
            {asTree ? 'Rounds' : 'Tree'}
          </Button>
        </span>
      </div>
      {asTree ? null : (
        <RoundTabs
          viewport={viewport}
          rounds={layout.columns.map(({ key, round }) => ({ key, name: round.name }))}
          initial={initialRound}
        />
      )}
      <BracketViewport
        ref={viewport}
        width={layout.width}
        height={layout.height}
        view={asTree ? 'tree' : 'rounds'}
        label={stage.name}
        onOpen={onOpen}
      >
        <KnockoutTree layout={layout} href={href} follow={follow} champion={champion} onFold={fold} />
      </BracketViewport>
    </div>
  );
}
