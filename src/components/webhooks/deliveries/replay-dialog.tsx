'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Progress } from '@/components/ui/data/progress';
import { Button } from '@/components/ui/form/button';
import { Dialog } from '@/components/ui/overlay/dialog';
import { ErrorNote } from '@/components/ui/page/error-state';
import { SkeletonText } from '@/components/ui/page/skeleton';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';
import type { Inputs } from '@/trpc/outputs';

export type ReplayFilter = Omit<Inputs['webhooks']['subscriptions']['replayPreview'], 'id'>;

/** The progress of a bulk replay, polled until it finishes. */
export function ReplayProgress({ id, replayId, onDone }: { id: string; replayId: string; onDone?: () => void }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const progress = useQuery(
    trpc.webhooks.subscriptions.replayProgress.queryOptions(
      { id, replayId },
      { refetchInterval: (query) => (query.state.data?.finishedAt ? false : 1_000) },
    ),
  );
  const finished = Boolean(progress.data?.finishedAt);
  const latest = useRef(onDone);
  useEffect(() => {
    latest.current = onDone;
  });
  useEffect(() => {
    if (!finished) return;
    latest.current?.();
    void queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
  }, [finished, queryClient, trpc]);
  if (!progress.data) return <SkeletonText lines={1} />;
  const { done, total } = progress.data;
  return (
    <div className="grid gap-2">
      <Progress value={done} max={total} label="Queued for resending" unit={total === 1 ? 'delivery' : 'deliveries'} />
      <p role="status" className="text-muted">
        {finished
          ? `${counted(done, 'delivery', 'deliveries')} queued. The list shows the result of each.`
          : 'This continues when you close the window.'}
      </p>
    </div>
  );
}

/** Asks before resending every delivery that matches `filter`, then shows the progress. */
export function ReplayDialog({
  id,
  filter,
  description,
  open,
  onOpenChange,
}: {
  id: string;
  filter: ReplayFilter;
  /** The filter in words: "failed and expired deliveries". */
  description: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const trpc = useTRPC();
  const preview = useQuery(
    trpc.webhooks.subscriptions.replayPreview.queryOptions({ id, ...filter }, { enabled: open, staleTime: 0 }),
  );
  const start = useMutation(trpc.webhooks.subscriptions.replayMany.mutationOptions());
  const problem = start.error ?? preview.error;
  const error = problem ? readError(problem) : null;
  const count = preview.data?.total;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        if (!next) start.reset();
        onOpenChange(next);
      }}
      title="Resend deliveries"
      description={`All ${description}.`}
      footer={
        start.data ? (
          <Button onClick={() => onOpenChange(false)}>Close</Button>
        ) : (
          <>
            <Button onClick={() => onOpenChange(false)}>Cancel</Button>
            <Button
              variant="primary"
              icon={<RotateCcw aria-hidden />}
              loading={start.isPending}
              disabled={!count}
              onClick={() => start.mutate({ id, ...filter })}
            >
              {count ? `Resend ${counted(count, 'delivery', 'deliveries')}` : 'Resend'}
            </Button>
          </>
        )
      }
    >
      <div className="grid gap-4">
        {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
        {start.data ? (
          <ReplayProgress id={id} replayId={start.data.id} />
        ) : (
          <>
            <p role="status" className="text-base">
              {count === undefined
                ? 'Counting deliveries…'
                : count === 0
                  ? 'No deliveries match.'
                  : `${counted(count, 'delivery matches', 'deliveries match')}.`}
            </p>
            <p className="text-muted">
              Each one has the same <code className="font-mono">event.id</code> as before, so your server can skip
              events that it already has. Retries start over, for 24 hours from now.
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** Props that make the dialog resend everything that was not delivered. */
export const undelivered = { filter: {}, description: 'failed and expired deliveries' };

/** A button that opens the resend dialog. */
export function ReplayButton({
  id,
  filter,
  description,
  label,
  size = 'md',
  variant,
}: {
  id: string;
  filter: ReplayFilter;
  description: string;
  label: string;
  size?: 'sm' | 'md';
  variant?: 'primary' | 'secondary';
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size={size} variant={variant} icon={<RotateCcw aria-hidden />} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ReplayDialog id={id} filter={filter} description={description} open={open} onOpenChange={setOpen} />
    </>
  );
}
