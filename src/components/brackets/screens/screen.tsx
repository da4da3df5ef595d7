'use client';

import { Trophy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { championOf } from '@/components/brackets/knockout/layout';
import { MatchCard } from '@/components/brackets/match-card';
import { FittedTree } from '@/components/brackets/screens/fitted-tree';
import { type Panel, panelsOf } from '@/components/brackets/screens/screen-panels';
import { GroupTable } from '@/components/brackets/tables/group-table';
import type { BracketData } from '@/components/brackets/types';
import { useBracket } from '@/components/brackets/use-bracket';
import { Wordmark } from '@/components/shell/logo';
import { cn } from '@/components/ui/cn';

type Props = {
  slug: string;
  name: string;
  /** How long each picture stays. */
  seconds: number;
  /** `overlay` lies on a stream: nothing but the picture has a background. */
  look: 'overlay' | 'venue';
};

/** A screen that nobody touches: it cycles through the pictures of a tournament and stays live. */
export function Screen({ slug, name, seconds, look }: Props) {
  const { bracket } = useBracket(slug);
  const panels = bracket ? panelsOf(bracket) : [];
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTurn((now) => now + 1), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  useEffect(() => {
    // Screens are dark whatever the machine is set to: they hang in dark halls and lie on pictures.
    document.documentElement.dataset.theme = 'dark';
  }, []);
  const panel = panels[turn % Math.max(1, panels.length)];
  const overlay = look === 'overlay';
  return (
    <main
      className={cn(
        'flex flex-col gap-6 overflow-hidden p-10',
        overlay ? 'h-dvh max-h-[1080px] w-full max-w-[1920px]' : 'h-dvh w-full bg-page text-ink max-md:p-4',
      )}
    >
      {/* Read from across a hall: everything is half as large again. */}
      <div className={cn('flex min-h-0 flex-1 flex-col gap-4 text-ink', 'md:[zoom:1.5]')}>
        <header
          className={cn(
            'flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 self-stretch rounded px-4 py-2',
            overlay ? 'bg-page' : 'border-b',
          )}
        >
          <h1 className="display min-w-0 truncate text-2xl" dir="auto">
            {name}
          </h1>
          <span className="flex items-center gap-6">
            {panel ? <span className="label text-base text-accent">{panel.title}</span> : null}
            <Wordmark />
          </span>
        </header>
        <div className="min-h-0 flex-1">
          {bracket && panel ? (
            <PanelView key={panel.id} panel={panel} bracket={bracket} overlay={overlay} />
          ) : (
            <p className="rounded bg-page p-6 text-xl text-muted">
              The bracket appears here when the tournament starts.
            </p>
          )}
        </div>
      </div>
    </main>
  );
}

function PanelView({ panel, bracket, overlay }: { panel: Panel; bracket: BracketData; overlay: boolean }) {
  if (panel.kind === 'tree') {
    const champion = panel.isLast ? championOf(panel.stage) : null;
    const winner = bracket.stages
      .flatMap(({ rounds }) => rounds.flatMap(({ matches }) => matches.flatMap(({ slots }) => slots)))
      .find(({ participantId }) => champion !== null && participantId === champion.participantId);
    return (
      <div className={cn('flex h-full flex-col gap-3', overlay && 'rounded bg-page p-3')}>
        {winner ? (
          <p className="display flex items-center gap-3 text-2xl text-gold">
            <Trophy aria-hidden className="size-7" />
            <span>
              Champion: <bdi>{winner.name}</bdi>
            </span>
          </p>
        ) : null}
        <div className="min-h-0 flex-1">
          <FittedTree stage={panel.stage} isLast={panel.isLast} />
        </div>
      </div>
    );
  }
  if (panel.kind === 'table') {
    const table = panel.stage.standings?.groups[panel.group];
    return (
      <GroupTable
        name={panel.title}
        rows={table?.rows.slice(0, 14) ?? []}
        tiebreakers={panel.stage.standings?.tiebreakers ?? []}
        follow={null}
        ruling={table?.ruling ?? null}
      />
    );
  }
  return (
    <ol inert className="grid grid-cols-1 gap-5 md:grid-cols-3">
      {panel.matches.map(({ match, roundName }) => (
        <li key={match.number} className={cn('grid grid-cols-1 gap-1', overlay && 'rounded bg-page p-2')}>
          <span className="truncate text-xs text-muted">{[roundName, match.station].filter(Boolean).join(' · ')}</span>
          <MatchCard match={match} href="#" followed={null} champion={null} />
        </li>
      ))}
    </ol>
  );
}
