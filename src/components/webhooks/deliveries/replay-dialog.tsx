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

/** How far a bulk replay has come; asked for until it is over. */
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
      <Progress
        value={done}
        max={total}
        label="Queued to be sent again"
        unit={total === 1 ? 'delivery' : 'deliveries'}
      />
      <p role="status" className="text-muted">
        {finished
          ? `${counted(done, 'delivery is', 'deliveries are')} on the way. The list shows how each one fares.`
          : 'This goes on when you close the window.'}
      </p>
    </div>
  );
}

/** Sends many deliveries again: says how many, asks, and shows how far it is. */
export function ReplayDialog({
  id,
  filter,
  what,
  open,
  onOpenChange,
}: {
  id: string;
  filter: ReplayFilter;
  /** What the filter stands for, as in "failed and expired deliveries". */
  what: string;
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
      title="Send again"
      description={`All ${what}.`}
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
              {count ? `Send ${counted(count, 'delivery', 'deliveries')} again` : 'Send again'}
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
                ? 'Counting …'
                : count === 0
                  ? 'Nothing matches; there is nothing to send again.'
                  : `${counted(count, 'delivery matches', 'deliveries match')}.`}
            </p>
            <p className="text-muted">
              Each is the same event as before, so a receiver that keeps <code className="font-mono">event.id</code>{' '}
              recognises what it has. Retries begin anew, for 24 hours from now.
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** What to send again of a receiver that missed events. */
export const undelivered = { filter: {}, what: 'failed and expired deliveries' };

/** The button that opens it. */
export function ReplayButton({
  id,
  filter,
  what,
  label,
  size = 'md',
  variant,
}: {
  id: string;
  filter: ReplayFilter;
  what: string;
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
      <ReplayDialog id={id} filter={filter} what={what} open={open} onOpenChange={setOpen} />
    </>
  );
}
