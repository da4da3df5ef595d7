'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import type { Detection, QueueItem, QueuePage } from '@/components/anticheat/types';
import { statusLabel } from '@/components/ui/data/status-badge';
import { toastError, toastSuccess, toastUndo } from '@/components/ui/overlay/toaster';
import type { Verdict } from '@/domain/anticheat/reviews';
import { useTRPC, useTRPCClient } from '@/trpc/client';

type Reviewed = Pick<QueueItem, 'id' | 'rule' | 'verdict' | 'note' | 'reviewedBy' | 'reviewedAt' | 'version'>;
type Decision = { verdict: Verdict | null; note: string | null };

/** Reviews detections: shown at once, taken back when the server refuses, and each with an undo. */
export function useReviews(projectId: string) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const pending = useRef(0);
  const undo = useRef<(() => void) | null>(null);

  /** Reads the queue and the detections again, once no review is under way that they would not show yet. */
  const refresh = useCallback(() => {
    if (pending.current > 0) return;
    void queryClient.invalidateQueries({ queryKey: trpc.antiCheat.review.queue.pathKey() });
    void queryClient.invalidateQueries({ queryKey: trpc.antiCheat.review.detection.pathKey() });
  }, [queryClient, trpc]);

  function show(id: string, review: Partial<Reviewed>) {
    queryClient.setQueriesData<QueuePage>({ queryKey: trpc.antiCheat.review.queue.pathKey() }, (page) =>
      page ? { ...page, items: page.items.map((item) => (item.id === id ? { ...item, ...review } : item)) } : page,
    );
    queryClient.setQueryData<Detection>(
      trpc.antiCheat.review.detection.queryKey({ projectId, detectionId: id }),
      (detection) => (detection ? { ...detection, ...review } : detection),
    );
  }

  async function decide(item: Reviewed, { verdict, note }: Decision, isUndo = false): Promise<void> {
    const { id, rule, version } = item;
    const { reviewedBy, reviewedAt } = item;
    const before = { verdict: item.verdict, note: item.note, reviewedBy, reviewedAt, version };
    pending.current += 1;
    undo.current = null;
    await queryClient.cancelQueries({ queryKey: trpc.antiCheat.review.queue.pathKey() });
    show(id, { verdict, note, reviewedBy: null });
    try {
      const after = await client.antiCheat.review.decide.mutate({
        ...{ projectId, detectionId: id, verdict, note, version },
      });
      show(id, after);
      const message = `${rule}: ${statusLabel('review', verdict ?? 'unreviewed').toLowerCase()}`;
      if (isUndo) toastSuccess(message);
      else {
        const takeBack = () => void decide({ ...item, ...after }, before, true);
        undo.current = takeBack;
        toastUndo(message, takeBack);
      }
    } catch (error) {
      show(id, before);
      toastError(error);
    } finally {
      pending.current -= 1;
      refresh();
    }
  }

  return {
    decide,
    refresh,
    /** Takes back the last review, if it was not taken back already. */
    undoLast: () => {
      undo.current?.();
      undo.current = null;
    },
  };
}

export type Reviews = ReturnType<typeof useReviews>;
