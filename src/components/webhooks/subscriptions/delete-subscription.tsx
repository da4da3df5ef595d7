'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { Button } from '@/components/ui/form/button';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

/** Deletes a subscription after naming what goes with it. */
export function DeleteSubscription({ id, url, base }: { id: string; url: string; base: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  const remove = useMutation(trpc.webhooks.subscriptions.remove.mutationOptions());
  return (
    <ConfirmDialog
      trigger={<Button icon={<Trash2 aria-hidden />}>Delete</Button>}
      title="Delete this webhook?"
      confirmLabel="Delete webhook"
      onConfirm={async () => {
        await remove.mutateAsync({ id });
        router.push(base);
        await queryClient.invalidateQueries({
          queryKey: trpc.webhooks.subscriptions.listOfProject.pathKey(),
          refetchType: 'all',
        });
        toastSuccess('The webhook is deleted');
      }}
    >
      <p>
        <code className="font-mono text-ink wrap-anywhere">{url}</code> gets no more events.
      </p>
      <p>
        Its delivery history, its signing secret and everything that still waits to be sent go with it. This cannot be
        undone.
      </p>
    </ConfirmDialog>
  );
}
