'use client';

import dynamic from 'next/dynamic';
import { useRef, useState } from 'react';
import { FollowSelect } from '@/components/brackets/follow-select';
import { isUnusedReset } from '@/components/brackets/knockout/layout';
import { MatchCard } from '@/components/brackets/match-card';
import { isBye, isOver, matchPath, shownStatus } from '@/components/brackets/match-words';
import { NeedsScripts } from '@/components/brackets/needs-scripts';
import type { BracketMatch } from '@/components/brackets/types';
import { useBracket } from '@/components/brackets/use-bracket';
import { useFollow } from '@/components/brackets/use-follow';
import { useMatchLinks } from '@/components/brackets/use-match-links';
import { Button } from '@/components/ui/form/button';
import { EmptyState } from '@/components/ui/page/empty-state';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { usePrinting } from '@/components/ui/page/use-printing';

const MatchDialog = dynamic(() => import('@/components/brackets/match-dialog').then((module) => module.MatchDialog));

type Listed = { match: BracketMatch; roundName: string };

const firstShown = 24;

const timeOf = ({ match }: Listed) => Date.parse(match.scheduledAt ?? '') || Number.POSITIVE_INFINITY;
const byTime = (a: Listed, b: Listed) => timeOf(a) - timeOf(b) || a.match.number - b.match.number;
const endOf = ({ match }: Listed) => Date.parse(match.completedAt ?? '') || 0;
const latestFirst = (a: Listed, b: Listed) => endOf(b) - endOf(a) || b.match.number - a.match.number;

/**
 * Every match of a tournament: live ones first, then those that wait for a confirmation, those to come, then the results.
 * @param isLarge whether the bracket did not come with the page
 */
export function MatchList({ slug, isLarge }: { slug: string; isLarge: boolean }) {
  const { query, bracket, isMissing } = useBracket(slug);
  const [follow, setFollow] = useFollow();
  const area = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<number | null>(null);
  useMatchLinks(area, setOpened);

  const all: Listed[] = (bracket?.stages ?? []).flatMap((stage) =>
    stage.rounds.flatMap((round) =>
      round.matches
        .filter((match) => !isBye(match) && !isUnusedReset(stage, match))
        .map((match) => ({ match, roundName: round.name })),
    ),
  );
  const shown = follow
    ? all.filter(({ match }) => match.slots.some(({ participantId }) => participantId === follow))
    : all;
  const within = (...statuses: ReturnType<typeof shownStatus>[]) =>
    shown.filter(({ match }) => statuses.includes(shownStatus(match)));
  const sections = [
    { id: 'live', title: 'Live now', items: within('in_progress', 'disputed').sort(byTime) },
    { id: 'reported', title: 'Reported', items: within('reported').sort(byTime) },
    { id: 'next', title: 'Up next', items: within('ready', 'scheduled').sort(byTime) },
    { id: 'results', title: 'Results', items: shown.filter(({ match }) => isOver(match)).sort(latestFirst) },
    { id: 'later', title: 'Later', items: within('pending').sort(byTime) },
  ].filter(({ items }) => items.length > 0);
  const found = all.find(({ match }) => match.number === opened);

  if (!bracket && query.error && !isMissing)
    return <QueryError title="The matches could not be loaded" query={query} />;
  if (!bracket && isLarge && !isMissing) {
    return (
      <>
        <NeedsScripts slug={slug} />
        <SkeletonTable rows={12} label="Loading the matches" />
      </>
    );
  }
  return (
    <div ref={area} className="grid grid-cols-1 gap-8">
      {bracket ? (
        <div>
          <FollowSelect matches={all.map(({ match }) => match)} value={follow} onChange={setFollow} />
        </div>
      ) : null}
      {sections.length === 0 ? (
        <EmptyState title="No matches yet">Matches are listed here once the tournament has started.</EmptyState>
      ) : null}
      {sections.map((section) => (
        <Section key={section.id} {...section} slug={slug} follow={follow} />
      ))}
      {found ? (
        <MatchDialog
          match={found.match}
          roundName={found.roundName}
          href={matchPath(slug, found.match)}
          follow={follow}
          onFollow={setFollow}
          onClose={() => setOpened(null)}
        />
      ) : null}
    </div>
  );
}

type SectionProps = { id: string; title: string; items: Listed[]; slug: string; follow: string | null };

function Section({ id, title, items, slug, follow }: SectionProps) {
  const [showAll, setShowAll] = useState(false);
  const isPrinting = usePrinting();
  const shown = showAll || isPrinting ? items : items.slice(0, firstShown);
  return (
    <section aria-labelledby={id} className="grid grid-cols-1 gap-3">
      <h2 id={id} className="display text-xl">
        {title} <span className="figure text-base text-faint">{items.length}</span>
      </h2>
      <ol className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,16rem),1fr))] gap-x-4 gap-y-5">
        {shown.map(({ match, roundName }) => (
          <li key={match.number} className="grid grid-cols-1 gap-1">
            <span className="truncate text-xs text-muted">{roundName}</span>
            <MatchCard
              match={match}
              href={matchPath(slug, match)}
              followed={match.slots.some(({ participantId }) => participantId === follow) ? follow : null}
              champion={null}
            />
          </li>
        ))}
      </ol>
      {shown.length < items.length ? (
        <Button className="justify-self-start" onClick={() => setShowAll(true)}>
          Show all {items.length}
        </Button>
      ) : null}
    </section>
  );
}
