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

/** Work on the seeds that is not saved: the order, what it was drawn from, and what the server had when it began. */
type Draft = {
  order: string[];
  randomSeed: string | null;
  begun: { version: number; seeds: ReadonlyMap<string, number | null> };
};

/** Whether nobody has seeded since: who is still here has the seed they had, and who came has none. */
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
 * The seeding as it is being worked on. Entrants who come meanwhile join at the end, leavers go; what someone else has saved
 * meanwhile is never overwritten without being told.
 */
export function useSeeding(
  tournament: Tournament,
  { rows, readFresh }: Pick<LoadedParticipants, 'rows' | 'readFresh'>,
  readAgain: () => void,
) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<Draft | null>(null);
  const [saving, setSaving] = useState(false);
  /** Someone else has seeded since the work began. */
  const [conflict, setClash] = useState(false);

  const seeded = useMemo(() => rows.filter(holdsSlot).sort(bySeed), [rows]);
  const ids = useMemo(() => seeded.map(({ id }) => id), [seeded]);
  const merged = useMemo(() => {
    if (!draft) return null;
    const { order: kept, joined } = mergeOrder(draft.order, ids);
    // Who has joined takes part in a draw that is not saved yet.
    return { joined, order: draft.randomSeed ? drawOrder(ids, draft.randomSeed) : kept };
  }, [draft, ids]);
  const order = merged?.order ?? ids;
  const joined = useMemo(() => new Set(merged?.joined), [merged]);
  const seeds = useMemo(() => new Map(seeded.map(({ id, seed }) => [id, seed])), [seeded]);
  // Without the gaps that leavers left: those are nobody's move.
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
    const begun = draft?.begun ?? { version: tournament.version, seeds };
    setDraft({ order: next, randomSeed, begun });
  }

  /** @param version the tournament's, that the seeding is to replace */
  function saveSeeding({ randomSeed }: Draft, version: number) {
    // A draw is told as one, so that it can be checked; who has joined takes part in it.
    const body = randomSeed ? ({ method: 'random', randomSeed } as const) : { order };
    return client.participants.seeding.save.mutate({ tournamentId: tournament.id, version, ...body });
  }

  async function save({ over = false } = {}) {
    if (!draft) return;
    setSaving(true);
    setClash(false);
    try {
      const saved = await saveSeeding(draft, over ? tournament.version : draft.begun.version).catch(
        (error: unknown) => {
          if (readError(error).reason !== 'VERSION_MISMATCH') throw error;
          return saveOnLatest(draft);
        },
      );
      if (!saved) return;
      setDraft(null);
      toastSuccess('The seeding is saved');
    } catch (error) {
      const joinedOrLeft = readError(error).reason === 'VALIDATION_FAILED';
      toastError(error, joinedOrLeft ? 'Entrants came or left meanwhile. Look, then save again' : 'Not saved');
    } finally {
      setSaving(false);
      readAgain();
    }
  }

  /** The tournament has another version: saves all the same if that came from anything but a seeding. */
  async function saveOnLatest(current: Draft) {
    const input = { tournamentId: tournament.id };
    const [fresh, freshRows] = await Promise.all([
      queryClient.fetchQuery({ ...trpc.tournaments.get.queryOptions(input), staleTime: 0 }),
      readFresh(),
    ]);
    if (hasSameSeeds(current.begun.seeds, freshRows.filter(holdsSlot))) return saveSeeding(current, fresh.version);
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
    clash: conflict,
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
