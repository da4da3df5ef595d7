'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Square } from 'lucide-react';
import { Button } from '@/components/ui/form/button';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

/** Ends a running session, after asking. */
export function EndSession({ projectId, sessionId }: { projectId: string; sessionId: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const end = useMutation(trpc.antiCheat.staffSessions.end.mutationOptions());
  return (
    <ConfirmDialog
      trigger={
        <Button size="sm" icon={<Square aria-hidden />}>
          End session
        </Button>
      }
      title="End this session?"
      confirmLabel="End session"
      cancelLabel="Keep it running"
      onConfirm={async () => {
        await end.mutateAsync({ projectId, sessionId, reason: 'ended by staff' });
        await queryClient.invalidateQueries({ queryKey: trpc.antiCheat.staffSessions.pathKey() });
        toastSuccess('Session ended');
      }}
    >
      <p>The rules judge what was reported until now, and nothing after. A new session can be started.</p>
    </ConfirmDialog>
  );
}
