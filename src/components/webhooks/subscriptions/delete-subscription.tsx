'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { Button } from '@/components/ui/form/button';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

/** Deletes a subscription after listing what is lost. */
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
        toastSuccess('Webhook deleted');
      }}
    >
      <p>
        No more events are sent to <code className="font-mono text-ink wrap-anywhere">{url}</code>.
      </p>
      <p>Its delivery history, signing secret and waiting deliveries are deleted as well. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
