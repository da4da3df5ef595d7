'use client';

import type { useSeeding } from '@/components/tournaments/desk/seeding/use-seeding';
import { Button } from '@/components/ui/form/button';
import { Copy } from '@/components/ui/text/copy';

const seeds = (count: number) => (count === 1 ? '1 seed changes' : `${count} seeds change`);

/** What is not saved, and what became of it when someone else has saved meanwhile. */
export function UnsavedBar({ seeding }: { seeding: ReturnType<typeof useSeeding> }) {
  const { unsaved, moved, joined, clash, saving, randomSeed } = seeding;
  return (
    <div role="status" aria-live="polite" className="sticky bottom-3 z-20 max-md:bottom-17">
      {unsaved ? (
        <div className="grid gap-3 rounded border border-line-strong bg-raised px-4 py-3 shadow" data-selection-bar="">
          {clash ? (
            <p>
              <strong className="font-medium text-danger">Someone else has saved a seeding meanwhile.</strong>{' '}
              <span className="text-muted">Take theirs and lose your order, or put yours in its place.</span>
            </p>
          ) : null}
          {randomSeed ? (
            <p className="flex flex-wrap items-center gap-x-2 text-muted">
              Drawn from <Copy value={randomSeed} label="Copy the random seed" />
            </p>
          ) : null}
          <div className="flex flex-wrap items-center gap-2">
            <p className="numerals mr-2">
              {seeds(moved)}
              {joined.size > 0 ? <span className="text-muted">, {joined.size} came meanwhile</span> : null}
            </p>
            <Button
              size="sm"
              variant="primary"
              className="max-md:h-11"
              loading={saving}
              onClick={() => void seeding.save({ over: clash })}
            >
              {clash ? 'Save mine' : 'Save seeding'}
            </Button>
            <Button size="sm" variant="ghost" className="max-md:h-11" disabled={saving} onClick={seeding.discard}>
              {clash ? 'Take theirs' : 'Discard'}
            </Button>
          </div>
        </div>
      ) : null}
    </div>
  );
}
