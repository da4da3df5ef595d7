'use client';

import dynamic from 'next/dynamic';
import { useCallback, useState } from 'react';
import { KnockoutStage } from '@/components/brackets/knockout/knockout-stage';
import { isOver, matchPath } from '@/components/brackets/match-words';
import { NeedsScripts } from '@/components/brackets/needs-scripts';
import { GroupStage } from '@/components/brackets/tables/group-stage';
import type { BracketData, BracketMatch, BracketStage } from '@/components/brackets/types';
import { useBracket } from '@/components/brackets/use-bracket';
import { useFollow } from '@/components/brackets/use-follow';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';

const MatchDialog = dynamic(() => import('@/components/brackets/match-dialog').then((module) => module.MatchDialog));

function findMatch(bracket: BracketData, number: number) {
  for (const stage of bracket.stages) {
    for (const round of stage.rounds) {
      const match = round.matches.find((one) => one.number === number);
      if (match) return { match, round };
    }
  }
  return null;
}

/** The stage being played is what people come for; the others follow, the last one first. */
function currentStageFirst(bracket: BracketData): BracketStage[] {
  const stages = bracket.stages.filter(({ rounds }) => rounds.length > 0).reverse();
  const current = stages.find(({ rounds }) =>
    rounds.some(({ matches }) => matches.some((match) => match.status !== 'pending' && !isOver(match))),
  );
  return current ? [current, ...stages.filter((stage) => stage !== current)] : stages;
}

type Props = {
  slug: string;
  /** It did not come with the page, because it is large. */
  isLarge?: boolean;
  /** In a frame of another site: takes commands from it, and opens links in a new tab. */
  framed?: boolean;
};

/** The whole bracket of a tournament, the current stage first. */
export function BracketView({ slug, isLarge = false, framed = false }: Props) {
  const { query, bracket, isMissing } = useBracket(slug);
  const [follow, setFollow] = useFollow();
  const [opened, setOpened] = useState<number | null>(null);
  const href = useCallback((match: BracketMatch) => matchPath(slug, match), [slug]);

  if (!bracket) {
    if (query.error && !isMissing) return <QueryError title="The bracket could not be loaded" query={query} />;
    if (isLarge && !isMissing) {
      return (
        <>
          <NeedsScripts slug={slug} />
          <SkeletonTable rows={12} label="Loading the bracket" />
        </>
      );
    }
    return (
      <EmptyState title="No bracket yet">The bracket is drawn when the organizer starts the tournament.</EmptyState>
    );
  }
  const found = opened === null ? null : findMatch(bracket, opened);
  const stages = currentStageFirst(bracket);
  return (
    <div className="grid grid-cols-1 gap-10">
      {stages.map((stage) => {
        const isKnockout = !stage.standings;
        const isLast = stage === bracket.stages.at(-1);
        return (
          <div key={stage.id} className="grid grid-cols-1 gap-3">
            <h2 className={stages.length > 1 ? 'display mx-auto w-full max-w-276 text-xl' : 'sr-only'}>{stage.name}</h2>
            {isKnockout ? (
              <KnockoutStage stage={stage} isLast={isLast} href={href} onOpen={setOpened} framed={framed} />
            ) : (
              <GroupStage stage={stage} href={href} onOpen={setOpened} />
            )}
          </div>
        );
      })}
      {found ? (
        <MatchDialog
          match={found.match}
          roundName={found.round.name}
          href={href(found.match)}
          follow={follow}
          onFollow={setFollow}
          framed={framed}
          onClose={() => setOpened(null)}
        />
      ) : null}
    </div>
  );
}
