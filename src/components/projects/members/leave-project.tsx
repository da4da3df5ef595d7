'use client';

import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { Button } from '@/components/ui/form/button';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { useTRPC } from '@/trpc/client';

/** The way out of a project for members who do not manage it. */
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
      <p>You lose every page of this project at once. Coming back takes a new invitation.</p>
    </ConfirmDialog>
  );
}
