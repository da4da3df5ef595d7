'use client';

import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Dices, Swords } from 'lucide-react';
import { useState } from 'react';
import { DrawPreview } from '@/components/matches/start/draw-preview';
import type { Draw } from '@/components/matches/types';
import { Button } from '@/components/ui/form/button';
import { Switch } from '@/components/ui/form/choices';
import { FormError } from '@/components/ui/form/form-error';
import { Dialog, DialogClose } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';
import { type ReadError, readError } from '@/trpc/errors';

const isTemporary = (error: unknown) => readError(error).status >= 500 || readError(error).status === 0;

function NotCheckedIn({ draw, removed }: { draw: Draw; removed: boolean }) {
  const { notCheckedIn } = draw;
  return (
    <details>
      <summary className="cursor-pointer text-muted">
        {removed
          ? `${counted(notCheckedIn.length, 'participant becomes a no-show', 'participants become no-shows')}`
          : `${counted(notCheckedIn.length, 'participant plays', 'participants play')} without having checked in`}
      </summary>
      <ul className="mt-2 grid grid-cols-[repeat(auto-fill,minmax(min(100%,11rem),1fr))] gap-x-4 gap-y-1">
        {notCheckedIn.map(({ participantId, name }) => (
          <li key={participantId} className="truncate">
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}

/**
 * Shows who plays and the draw, which can be drawn again, and starts the tournament with exactly this draw. Where that has
 * changed, the next press starts it with who plays by then.
 */
export function StartDialog({
  tournament,
  onClose,
  onStarted,
}: {
  tournament: { id: string; name: string };
  onClose: () => void;
  onStarted: () => void;
}) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [removeNoShows, setRemoveNoShows] = useState(false);
  const [failure, setFailure] = useState<ReadError | null>(null);
  const input = { tournamentId: tournament.id, removeNoShows };
  const options = trpc.matches.draw.queryOptions(input, {
    placeholderData: keepPreviousData,
    retry: (count, error) => count < 2 && isTemporary(error),
    staleTime: 0,
  });
  const preview = useQuery(options);
  const draw = preview.data;

  const onMutate = () => setFailure(null);
  const redraw = useMutation(
    trpc.matches.redraw.mutationOptions({
      onMutate,
      onError: (error) => setFailure(readError(error)),
      onSuccess: (drawn) => queryClient.setQueryData(options.queryKey, drawn),
    }),
  );
  const start = useMutation(
    trpc.matches.start.mutationOptions({
      onMutate,
      onError: async (error) => {
        const failed = readError(error);
        if (failed.reason === 'DRAW_CHANGED') await preview.refetch();
        setFailure(failed);
      },
      onSuccess: () => {
        toastSuccess(`${tournament.name} has started`);
        onStarted();
        onClose();
      },
    }),
  );
  function switchNoShows(next: boolean) {
    setFailure(null);
    setRemoveNoShows(next);
  }
  const busy = redraw.isPending || start.isPending;
  // Who registers and cancels again and again must not keep others from starting.
  const hasChanged = failure?.reason === 'DRAW_CHANGED';
  // A switch just turned keeps the last draw on the screen until the other one arrives.
  const isCurrent = draw !== undefined && !preview.isPlaceholderData && !preview.isError;

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !start.isPending && onClose()}
      title={`Start ${tournament.name}?`}
      description="Starting closes registration and check-in and creates the matches."
      width="lg"
      footer={
        <div className="grid w-full grid-cols-1 gap-3">
          <FormError error={failure} />
          <div className="flex flex-wrap justify-end gap-3 max-sm:grid max-sm:grid-cols-2">
            <DialogClose>
              <Button className="mr-auto max-sm:mr-0" disabled={start.isPending}>
                Not yet
              </Button>
            </DialogClose>
            <Button
              icon={<Dices aria-hidden />}
              loading={redraw.isPending}
              disabled={!isCurrent || start.isPending}
              onClick={() => redraw.mutate(input)}
            >
              Draw again
            </Button>
            <Button
              variant="primary"
              icon={<Swords aria-hidden />}
              className="max-sm:col-span-2"
              loading={start.isPending}
              disabled={!isCurrent || redraw.isPending}
              onClick={() => draw && start.mutate(hasChanged ? input : { ...input, drawHash: draw.drawHash })}
            >
              {hasChanged ? 'Start with whoever is in' : 'Start tournament'}
            </Button>
          </div>
        </div>
      }
    >
      <div className="grid grid-cols-1 gap-5">
        {draw && draw.notCheckedIn.length > 0 ? (
          <div className="grid grid-cols-1 gap-3 rounded border bg-surface p-4">
            <Switch
              checked={removeNoShows}
              disabled={busy}
              onCheckedChange={switchNoShows}
              label="Leave out participants who have not checked in"
              hint="They become no-shows. When this is off, they play too."
            />
            <NotCheckedIn draw={draw} removed={removeNoShows} />
          </div>
        ) : removeNoShows ? (
          <Switch
            checked
            disabled={busy}
            onCheckedChange={switchNoShows}
            label="Leave out participants who have not checked in"
          />
        ) : null}
        {preview.isError ? (
          <QueryError title="This tournament cannot be drawn yet" query={preview} />
        ) : draw ? (
          <section aria-label="Draw" aria-busy={!isCurrent || redraw.isPending} className="grid grid-cols-1 gap-3">
            <h3 className="display text-lg">
              {counted(draw.participants.length, 'participant plays', 'participants play')}
            </h3>
            <DrawPreview draw={draw} />
          </section>
        ) : (
          <SkeletonTable label="Loading the draw" />
        )}
      </div>
    </Dialog>
  );
}
