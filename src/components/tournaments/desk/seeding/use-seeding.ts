'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Tournament } from '@/components/tournaments/desk/queries';
import type { LoadedParticipants } from '@/components/tournaments/desk/use-participants';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { byRegistration, bySeed, drawOrder, mergeOrder, moveTo } from '@/domain/participants/seeding';
import { holdsSlot } from '@/domain/participants/statuses';
import { useTRPC, useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** An unsaved seeding: its order, the random seed of a draw, and the server's state when it was started. */
type Draft = {
  order: string[];
  randomSeed: string | null;
  base: { version: number; seeds: ReadonlyMap<string, number | null> };
};

/** Whether the seeds are unchanged: remaining participants kept theirs, and new ones have none. */
export function hasSameSeeds(
  before: ReadonlyMap<string, number | null>,
  rows: readonly { id: string; seed: number | null }[],
): boolean {
  return rows.every(({ id, seed }) => (before.get(id) ?? null) === seed);
}

function newRandomSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The seeding being edited. New participants join at the end, and those who leave are removed. A seeding that someone
 * else saved in the meantime is never overwritten without confirmation.
 */
export function useSeeding(
  tournament: Tournament,
  { rows, refetchRows }: Pick<LoadedParticipants, 'rows' | 'refetchRows'>,
  refresh: () => void,
) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<Draft | null>(null);
  const [saving, setSaving] = useState(false);
  /** Whether someone else saved a seeding since the draft was started. */
  const [conflict, setClash] = useState(false);

  const seeded = useMemo(() => rows.filter(holdsSlot).sort(bySeed), [rows]);
  const ids = useMemo(() => seeded.map(({ id }) => id), [seeded]);
  const merged = useMemo(() => {
    if (!draft) return null;
    const { order: kept, joined } = mergeOrder(draft.order, ids);
    // New participants take part in a draw that is not saved yet.
    return { joined, order: draft.randomSeed ? drawOrder(ids, draft.randomSeed) : kept };
  }, [draft, ids]);
  const order = merged?.order ?? ids;
  const joined = useMemo(() => new Set(merged?.joined), [merged]);
  const seeds = useMemo(() => new Map(seeded.map(({ id, seed }) => [id, seed])), [seeded]);
  // Closes the gaps of participants who left, so that they do not count as moves.
  const places = useMemo(
    () => new Map(seeded.filter(({ seed }) => seed !== null).map(({ id }, index) => [id, index + 1])),
    [seeded],
  );
  const moved = draft ? order.filter((id, index) => places.get(id) !== index + 1).length : 0;
  const unsaved = draft !== null && (moved > 0 || draft.randomSeed !== null);

  useEffect(() => {
    if (!unsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [unsaved]);

  function updateDraft(next: string[], randomSeed: string | null = null) {
    const base = draft?.base ?? { version: tournament.version, seeds };
    setDraft({ order: next, randomSeed, base });
  }

  /** @param version the version of the tournament that the seeding replaces */
  function saveSeeding({ randomSeed }: Draft, version: number) {
    // Sent as a draw, so that anyone can verify it; the server includes new participants, and those after an order.
    const body = randomSeed ? ({ method: 'random', randomSeed } as const) : { order, allowChanges: true };
    return client.participants.seeding.save.mutate({ tournamentId: tournament.id, version, ...body });
  }

  async function save({ overwrite = false } = {}) {
    if (!draft) return;
    setSaving(true);
    setClash(false);
    try {
      const saved = await saveSeeding(draft, overwrite ? tournament.version : draft.base.version).catch(
        (error: unknown) => {
          if (readError(error).reason !== 'VERSION_MISMATCH') throw error;
          return saveOnLatest(draft);
        },
      );
      if (!saved) return;
      setDraft(null);
      toastSuccess('Seeding saved');
    } catch (error) {
      toastError(error, 'Seeding not saved');
    } finally {
      setSaving(false);
      refresh();
    }
  }

  /** The tournament has a newer version: saves anyway unless the seeding changed. */
  async function saveOnLatest(current: Draft) {
    const input = { tournamentId: tournament.id };
    const [fresh, freshRows] = await Promise.all([
      queryClient.fetchQuery({ ...trpc.tournaments.get.queryOptions(input), staleTime: 0 }),
      refetchRows(),
    ]);
    if (hasSameSeeds(current.base.seeds, freshRows.filter(holdsSlot))) return saveSeeding(current, fresh.version);
    setClash(true);
    return null;
  }

  return {
    order,
    joined,
    places,
    moved,
    unsaved,
    saving,
    conflict,
    randomSeed: draft?.randomSeed ?? null,
    byId: useMemo(() => new Map(seeded.map((row) => [row.id, row])), [seeded]),
    move: (id: string, to: number) => updateDraft(moveTo(order, order.indexOf(id), to)),
    draw: () => {
      const randomSeed = newRandomSeed();
      updateDraft(drawOrder(order, randomSeed), randomSeed);
    },
    byRegistration: () => updateDraft([...seeded].sort(byRegistration).map(({ id }) => id)),
    save,
    discard: () => {
      setDraft(null);
      setClash(false);
    },
  };
}
