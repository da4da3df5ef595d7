'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ParticipantOrder } from '@/components/brackets/participant-order';
import { firstMatches, type SeedableStage } from '@/components/matches/desk/stage-order';
import { Button } from '@/components/ui/form/button';
import { Dialog, DialogClose } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { ErrorNote } from '@/components/ui/page/error-state';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

type Props = { tournamentId: string; seedable: SeedableStage; onClose: () => void };

/** Puts the participants of a stage in the order of their seeds, and shows who meets whom first. */
export function StageSeedingDialog({ tournamentId, seedable, onClose }: Props) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  // Live updates do not move what the organizer is ordering.
  const [opened] = useState(seedable);
  const [order, setOrder] = useState(() => opened.order.map(({ id }) => id));
  const names = new Map(opened.order.map(({ id, name }) => [id, name]));
  const save = useMutation(
    trpc.matches.seedStage.mutationOptions({
      onSuccess: (bracket) => {
        queryClient.setQueryData(trpc.matches.bracket.queryKey({ tournamentId }), bracket);
        toastSuccess('Seeding saved');
        onClose();
      },
    }),
  );
  const refusal = save.error ? readError(save.error) : null;
  const { stage, size } = opened;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !save.isPending && onClose()}
      title={`Seed ${stage.name}`}
      description="The first is seed 1."
      footer={
        <>
          <DialogClose>
            <Button disabled={save.isPending}>Cancel</Button>
          </DialogClose>
          <Button
            variant="primary"
            loading={save.isPending}
            onClick={() => save.mutate({ tournamentId, stageId: stage.id, order })}
          >
            Save seeding
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-5">
        {refusal ? <ErrorNote message={refusal.message} reason={refusal.reason} requestId={refusal.requestId} /> : null}
        <ParticipantOrder label="Seeds" order={order} names={names} onChange={setOrder} />
        <section aria-labelledby="first-matches" className="grid grid-cols-1 gap-1.5">
          <h3 id="first-matches" className="font-medium">
            First matches
          </h3>
          <ul className="grid grid-cols-1 gap-1 text-muted">
            {firstMatches(order, size).map(([one, other]) => (
              <li key={one ?? other} className="flex min-w-0 gap-1.5">
                <bdi className="truncate text-ink">{one === null ? 'Bye' : names.get(one)}</bdi>
                <span>against</span>
                <bdi className="truncate text-ink">{other === null ? 'nobody (bye)' : names.get(other)}</bdi>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </Dialog>
  );
}
