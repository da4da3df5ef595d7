'use client';

import type { ReactNode } from 'react';
import { Countdown } from '@/components/ui/text/countdown';
import type { ScheduledMoment } from '@/domain/tournaments/phase';

/** The signed-in viewer of a tournament page. */
export type Player = { id: string; name: string };

/** Holds the main action with its countdown; fixed to the bottom on a phone. */
export function ActionBar({ next, children }: { next: ScheduledMoment | null; children: ReactNode }) {
  return (
    <div
      data-action-bar=""
      className="grid gap-2 max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-20 max-md:grid-cols-[auto_1fr] max-md:items-center max-md:gap-4 max-md:border-t max-md:bg-page max-md:px-4 max-md:pt-3 max-md:pb-[max(0.75rem,env(safe-area-inset-bottom))]"
    >
      <span className="max-md:max-w-40">{next ? <CountdownLine next={next} /> : null}</span>
      {children}
    </div>
  );
}

/** A countdown with its label: `Check-in closes in 0:42:10`. */
export function CountdownLine({ next }: { next: ScheduledMoment }) {
  return (
    <span className="flex flex-wrap items-baseline justify-between gap-x-3 text-muted">
      <span className="max-md:text-xs">{next.label} in</span>
      <Countdown to={new Date(next.at)} label={next.label} className="text-ink max-md:text-base" />
    </span>
  );
}
