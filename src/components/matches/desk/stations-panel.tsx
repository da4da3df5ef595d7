'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Pencil, Plus, Trash2, Tv } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { shownStatus } from '@/components/brackets/match-words';
import { pairing } from '@/components/matches/actions/match-names';
import type { Station } from '@/components/matches/types';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { Button } from '@/components/ui/form/button';
import { Kbd } from '@/components/ui/navigation/kbd';
import { Menu, MenuItem } from '@/components/ui/overlay/menu';
import { toastError, toastUndo } from '@/components/ui/overlay/toaster';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';

const StationDialog = dynamic(() =>
  import('@/components/matches/desk/station-dialog').then((file) => file.StationDialog),
);

/** The stations of a tournament: what is played where, and adding, changing and removing them. */
export function StationsPanel({ tournamentId, stations }: { tournamentId: string; stations: readonly Station[] }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<Station | 'new' | null>(null);
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.matches.pathKey() });
  const create = useMutation(trpc.matches.stations.create.mutationOptions());
  const assign = useMutation(trpc.matches.assign.mutationOptions());
  const remove = useMutation(
    trpc.matches.stations.remove.mutationOptions({
      onError: (error) => toastError(error),
      onSuccess: (removed) => {
        toastUndo(`${removed.name} is removed`, () => bringBack(removed).catch((error) => toastError(error)));
        return refresh();
      },
    }),
  );

  async function bringBack({ name, streamUrl, autoAssign, currentMatch, queue }: Station) {
    // Its matches come back first: the new station must not take others meanwhile.
    const made = await create.mutateAsync({ tournamentId, name, streamUrl, autoAssign: false });
    for (const { id: matchId } of [...(currentMatch ? [currentMatch] : []), ...queue]) {
      await assign.mutateAsync({ matchId, stationId: made.id });
    }
    if (autoAssign) await change.mutateAsync({ tournamentId, stationId: made.id, autoAssign });
    await refresh();
  }
  const change = useMutation(trpc.matches.stations.update.mutationOptions());

  return (
    <section aria-labelledby="stations" className="grid grid-cols-1 gap-3">
      <div className="flex items-center gap-3">
        <h2 id="stations" className="display mr-auto text-xl">
          Stations <span className="figure text-base text-faint">{stations.length || null}</span>
        </h2>
        <Button size="sm" icon={<Plus aria-hidden />} onClick={() => setDialog('new')}>
          Add station
        </Button>
      </div>
      {stations.length === 0 ? (
        <p className="text-muted">
          Add the places where matches are played, such as “Station 1”, to send players there and see what is free.
        </p>
      ) : (
        <ol className="grid grid-cols-1 divide-y rounded border bg-surface">
          {stations.map((station, at) => (
            <StationRow
              key={station.id}
              station={station}
              place={at + 1}
              onEdit={() => setDialog(station)}
              onRemove={() => remove.mutate({ tournamentId, stationId: station.id })}
            />
          ))}
        </ol>
      )}
      {stations.length > 0 ? (
        <p className="text-xs text-faint max-md:hidden">
          Press <Kbd>j</Kbd> to go to a match, then the number of a station to assign it, or <Kbd>0</Kbd> for none.
        </p>
      ) : null}
      {dialog ? (
        <StationDialog
          tournamentId={tournamentId}
          station={dialog === 'new' ? null : dialog}
          suggestedName={`Station ${stations.length + 1}`}
          onClose={() => setDialog(null)}
        />
      ) : null}
    </section>
  );
}

function StationRow({
  station,
  place,
  onEdit,
  onRemove,
}: {
  station: Station;
  /** From 1; the key that assigns to it. */
  place: number;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const { name, streamUrl, autoAssign, currentMatch, queue } = station;
  return (
    <li className="flex items-start gap-3 px-4 py-3">
      <span className="figure w-5 shrink-0 text-faint">{place}</span>
      <div className="grid min-w-0 flex-1 grid-cols-1 gap-1">
        <p className="flex min-w-0 items-center gap-2 font-medium">
          <bdi className="truncate">{name}</bdi>
          {streamUrl ? <Tv role="img" aria-label="Has a stream" className="size-4 shrink-0 text-muted" /> : null}
        </p>
        {currentMatch ? (
          <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <span className="figure">M{currentMatch.number}</span>
            <bdi className="min-w-0 truncate">{pairing(currentMatch)}</bdi>
            <StatusBadge kind="match" status={shownStatus(currentMatch)} />
          </p>
        ) : (
          <p className="text-muted">{autoAssign ? 'Free, takes the next ready match' : 'Free'}</p>
        )}
        {queue.length > 0 ? (
          <p className="text-xs text-muted">
            {counted(queue.length, 'match waits', 'matches wait')}: {queue.map(({ number }) => `M${number}`).join(', ')}
          </p>
        ) : null}
      </div>
      <Menu
        label={`Change ${name}`}
        trigger={<Button variant="ghost" size="icon" className="-my-1 -mr-2" icon={<Ellipsis aria-hidden />} />}
      >
        <MenuItem icon={<Pencil aria-hidden />} onSelect={onEdit}>
          Edit
        </MenuItem>
        <MenuItem icon={<Trash2 aria-hidden />} danger onSelect={onRemove}>
          Remove
        </MenuItem>
      </Menu>
    </li>
  );
}
