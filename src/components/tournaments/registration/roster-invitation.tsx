'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { cn } from '@/components/ui/cn';
import { Button } from '@/components/ui/form/button';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

type Invited = {
  tournamentId: string;
  type: 'individual' | 'team';
  name: string;
  isCaptain: boolean;
  addedBy: { name: string } | null;
};

/** `Olivia added you to Night Owls.` */
function AddedText({ type, name, isCaptain, addedBy }: Invited) {
  const who = addedBy ? <bdi className="font-medium text-ink">{addedBy.name}</bdi> : 'Someone';
  const team = <bdi className="font-medium text-ink">{name}</bdi>;
  if (type === 'individual') return <>{who} registered you for this tournament.</>;
  if (isCaptain) {
    return (
      <>
        {who} registered {team} with you as captain.
      </>
    );
  }
  return (
    <>
      {who} added you to {team}.
    </>
  );
}

/** Asks a player whom someone else put on a roster to accept or leave. */
export function RosterInvitation({
  invited,
  tournament,
  className,
}: {
  invited: Invited;
  /** Its name is for people who hear the buttons without seeing where they are. */
  tournament: { name: string; status: string };
  className?: string;
}) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { tournamentId, type, isCaptain } = invited;
  const invalidate = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: trpc.participants.pathKey() }),
      queryClient.invalidateQueries({ queryKey: trpc.tournaments.pathKey() }),
      queryClient.invalidateQueries({ queryKey: trpc.matches.myNextMatches.pathKey() }),
    ]);
  const accept = useMutation(
    trpc.participants.acceptMine.mutationOptions({
      onSuccess: () => toastSuccess('Accepted', 'We will email you about this tournament.'),
      onError: (error) => toastError(error, 'Could not accept'),
      onSettled: invalidate,
    }),
  );
  const leave = useMutation(trpc.participants.leaveMine.mutationOptions());
  const cancels = type === 'individual' || isCaptain;
  const hasStarted = tournament.status !== 'DRAFT' && tournament.status !== 'PUBLISHED';
  return (
    <div className={cn('grid gap-3', className)}>
      <p>
        <AddedText {...invited} />
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          className="max-sm:flex-1"
          aria-label={`Accept playing in ${tournament.name}`}
          loading={accept.isPending}
          onClick={() => accept.mutate({ tournamentId })}
        >
          Accept
        </Button>
        <ConfirmDialog
          trigger={
            <Button className="max-sm:flex-1" aria-label={`Leave ${tournament.name}`}>
              Leave
            </Button>
          }
          title={<>Leave {type === 'team' && !isCaptain ? <bdi>{invited.name}</bdi> : tournament.name}?</>}
          confirmLabel="Leave"
          cancelLabel="Decide later"
          onConfirm={async () => {
            await leave.mutateAsync({ tournamentId });
            await invalidate();
            toastSuccess('You left');
          }}
        >
          <p>
            {!cancels
              ? 'You will no longer be on its roster in this tournament.'
              : hasStarted
                ? 'Your place and its results stay in the tournament without your account.'
                : 'This cancels the registration. You can register yourself while registration is open.'}
            {hasStarted ? ' What was played will no longer count for you.' : null}
          </p>
        </ConfirmDialog>
      </div>
    </div>
  );
}
