'use client';

import type { useSeeding } from '@/components/tournaments/desk/seeding/use-seeding';
import { Button } from '@/components/ui/form/button';
import { Copy } from '@/components/ui/text/copy';
import { counted } from '@/domain/text/counted';

const seeds = (count: number) => `${counted(count, 'seed')} changed`;

/** The unsaved changes, and the choice after someone else saved a seeding. */
export function UnsavedBar({ seeding }: { seeding: ReturnType<typeof useSeeding> }) {
  const { unsaved, moved, joined, conflict, saving, randomSeed } = seeding;
  return (
    <div role="status" aria-live="polite" className="sticky bottom-3 z-20 max-md:bottom-17">
      {unsaved ? (
        <div className="grid gap-3 rounded border border-line-strong bg-raised px-4 py-3 shadow" data-selection-bar="">
          {conflict ? (
            <p>
              <strong className="font-medium text-danger">Someone else saved a different seeding.</strong>{' '}
              <span className="text-muted">Use theirs and lose your changes, or overwrite it with yours.</span>
            </p>
          ) : null}
          {randomSeed ? (
            <p className="flex flex-wrap items-center gap-x-2 text-muted">
              Random seed: <Copy value={randomSeed} label="Copy the random seed" />
            </p>
          ) : null}
          <div className="flex flex-wrap items-center gap-2">
            <p className="numerals mr-2">
              {seeds(moved)}
              {joined.size > 0 ? <span className="text-muted">, {joined.size} new</span> : null}
            </p>
            <Button
              size="sm"
              variant="primary"
              className="max-md:h-11"
              loading={saving}
              onClick={() => void seeding.save({ overwrite: conflict })}
            >
              {conflict ? 'Save mine' : 'Save seeding'}
            </Button>
            <Button size="sm" variant="ghost" className="max-md:h-11" disabled={saving} onClick={seeding.discard}>
              {conflict ? 'Use theirs' : 'Discard'}
            </Button>
          </div>
        </div>
      ) : null}
    </div>
  );
}
