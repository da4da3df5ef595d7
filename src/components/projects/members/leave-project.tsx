'use client';

import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { Button } from '@/components/ui/form/button';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { useTRPC } from '@/trpc/client';

/** Lets members leave who cannot open the members page. */
export function LeaveProject({ project, viewerId }: { project: { id: string; name: string }; viewerId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const leave = useMutation(trpc.projects.members.remove.mutationOptions());
  return (
    <ConfirmDialog
      trigger={<Button className="mt-2 justify-self-start">Leave project</Button>}
      title={`Leave ${project.name}?`}
      confirmLabel="Leave project"
      cancelLabel="Stay"
      onConfirm={async () => {
        await leave.mutateAsync({ projectId: project.id, userId: viewerId });
        router.push('/dashboard');
        router.refresh();
      }}
    >
      <p>You lose access to this project right away. To come back, you need a new invitation.</p>
    </ConfirmDialog>
  );
}
