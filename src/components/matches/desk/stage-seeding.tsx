'use client';

import { ListOrdered } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { SeedableStage } from '@/components/matches/desk/stage-order';
import { Button } from '@/components/ui/form/button';

const StageSeedingDialog = dynamic(() =>
  import('@/components/matches/desk/stage-seeding-dialog').then((file) => file.StageSeedingDialog),
);

/** Offers to seed a later stage by hand, from when its participants are known until someone plays in it. */
export function StageSeeding({ tournamentId, seedable }: { tournamentId: string; seedable: SeedableStage }) {
  const [isOpen, setIsOpen] = useState(false);
  const { stage, order } = seedable;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded border bg-surface px-4 py-3">
      <p className="min-w-0 text-muted">
        All {order.length} participants of the stage <span className="text-ink">{stage.name}</span> are known, and
        nobody has played in it.
      </p>
      <Button size="sm" icon={<ListOrdered aria-hidden />} onClick={() => setIsOpen(true)}>
        Change its seeding
      </Button>
      {isOpen ? (
        <StageSeedingDialog tournamentId={tournamentId} seedable={seedable} onClose={() => setIsOpen(false)} />
      ) : null}
    </div>
  );
}
