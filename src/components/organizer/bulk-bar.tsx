'use client';

import type { ReactNode } from 'react';
import type { BulkState } from '@/components/organizer/use-bulk-check-in';
import { Button } from '@/components/ui/button';
import { Kbd } from '@/components/ui/kbd';
import { Progress } from '@/components/ui/progress';

/** What is selected and what can be done with it; stays above the thumb. Shows how far a run is and whom it refused. */
export function BulkBar({
  selected,
  ready,
  bulk,
  onCheckIn,
  onStop,
  onClear,
  icon,
}: {
  selected: number;
  /** How many of the selected can be checked in. */
  ready: number;
  bulk: BulkState | null;
  onCheckIn: () => void;
  onStop: () => void;
  onClear: () => void;
  icon: ReactNode;
}) {
  const shown = selected > 0 || (bulk !== null && (bulk.total > 1 || bulk.refused.length > 0));
  return (
    <div role="status" aria-live="polite" className="sticky bottom-3 z-20 max-md:bottom-17">
      {shown ? (
        <div className="grid gap-3 rounded border border-line-strong bg-raised px-4 py-3 shadow">
          {bulk && bulk.total > 1 ? (
            <Progress value={bulk.done} max={bulk.total} label={bulk.running ? 'Checking in' : 'Checked in'} />
          ) : null}
          {bulk && !bulk.running && bulk.refused.length > 0 ? (
            <div className="grid gap-1">
              <p className="font-medium text-danger">{bulk.refused.length} could not be checked in</p>
              <ul className="max-h-32 overflow-y-auto text-muted">
                {bulk.refused.map(({ name, message, reason }) => (
                  <li key={`${name} ${reason}`}>
                    <span dir="auto" className="text-ink">
                      {name}
                    </span>
                    : {message} <code className="font-mono text-xs">{reason}</code>
                  </li>
                ))}
              </ul>
            </div>
          ) : null}
          <div className="flex flex-wrap items-center gap-3">
            <p className="numerals">
              {selected > 0 ? (
                <>
                  <strong>{selected}</strong> selected
                  {ready < selected ? <span className="text-muted">, {ready} not checked in</span> : null}
                </>
              ) : (
                <span className="text-muted">Nobody is selected</span>
              )}
            </p>
            {bulk?.running ? (
              <Button size="sm" onClick={onStop}>
                Stop
              </Button>
            ) : (
              <>
                {selected > 0 ? (
                  <Button size="sm" variant="primary" icon={icon} disabled={ready === 0} onClick={onCheckIn}>
                    Check in {ready}
                    <span className="max-sm:hidden" aria-hidden>
                      <Kbd>C</Kbd>
                    </span>
                  </Button>
                ) : null}
                <Button size="sm" variant="ghost" onClick={onClear}>
                  {selected > 0 ? 'Clear selection' : 'Close'}
                </Button>
              </>
            )}
          </div>
        </div>
      ) : null}
    </div>
  );
}
