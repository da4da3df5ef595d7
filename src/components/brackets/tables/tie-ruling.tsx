'use client';

import { Gavel } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { StandingsPage } from '@/components/brackets/types';
import { Button } from '@/components/ui/form/button';

const TieDialog = dynamic(() => import('@/components/brackets/tables/tie-dialog').then((file) => file.TieDialog));

type Props = {
  tournamentId: string;
  stageId: string;
  group: StandingsPage['stages'][number]['groups'][number];
  /** Whether the viewer may decide ties. */
  canDecide: boolean;
};

/** Below a table: how staff decided its ties, and for staff the way to decide them. */
export function TieRuling({ tournamentId, stageId, group, canDecide }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const { ruling, hasTies } = group;
  const offers = canDecide && (hasTies || ruling !== null);
  if (!ruling && !offers) return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="min-w-0 wrap-anywhere text-muted">
        {ruling ? (
          <>
            Decided by staff: <bdi className="text-ink">{ruling.reason}</bdi>
          </>
        ) : (
          'Some participants are tied on every tie-break.'
        )}
      </p>
      {offers ? (
        <Button size="sm" className="print:hidden" icon={<Gavel aria-hidden />} onClick={() => setIsOpen(true)}>
          {ruling ? 'Change the decision' : 'Decide the tie'}
        </Button>
      ) : null}
      {isOpen ? (
        <TieDialog
          tournamentId={tournamentId}
          stageId={stageId}
          group={group.number}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </div>
  );
}
