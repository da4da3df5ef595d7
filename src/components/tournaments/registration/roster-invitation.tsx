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

/** Its name is for people who hear the buttons without seeing where they are. */
type InvitedTo = { name: string; status: string };

function useInvalidate() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: trpc.participants.pathKey() }),
      queryClient.invalidateQueries({ queryKey: trpc.tournaments.pathKey() }),
      queryClient.invalidateQueries({ queryKey: trpc.matches.myNextMatches.pathKey() }),
    ]);
}

/** Leaves a roster, or a registration that the viewer has not accepted, after asking. */
export function LeaveRoster({
  registration,
  tournament,
  cancelLabel = 'Stay',
  className,
  variant,
}: {
  registration: Omit<Invited, 'addedBy'>;
  tournament: InvitedTo;
  cancelLabel?: string;
  className?: string;
  variant?: 'ghost';
}) {
  const invalidate = useInvalidate();
  const leave = useMutation(useTRPC().participants.leaveMine.mutationOptions());
  const { tournamentId, type, isCaptain, name } = registration;
  const cancels = type === 'individual' || isCaptain;
  const hasStarted = tournament.status !== 'DRAFT' && tournament.status !== 'PUBLISHED';
  return (
    <ConfirmDialog
      trigger={
        <Button variant={variant} className={className} aria-label={`Leave ${tournament.name}`}>
          Leave
        </Button>
      }
      title={<>Leave {cancels ? tournament.name : <bdi>{name}</bdi>}?</>}
      confirmLabel="Leave"
      cancelLabel={cancelLabel}
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
  );
}

/** Asks a player whom someone else put on a roster to accept or leave. */
export function RosterInvitation({
  invited,
  tournament,
  className,
}: {
  invited: Invited;
  tournament: InvitedTo;
  className?: string;
}) {
  const trpc = useTRPC();
  const invalidate = useInvalidate();
  const { tournamentId } = invited;
  const accept = useMutation(
    trpc.participants.acceptMine.mutationOptions({
      onSuccess: () => toastSuccess('Accepted', 'We will email you about this tournament.'),
      onError: (error) => toastError(error, 'Could not accept'),
      onSettled: invalidate,
    }),
  );
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
        <LeaveRoster
          registration={invited}
          tournament={tournament}
          cancelLabel="Decide later"
          className="max-sm:flex-1"
        />
      </div>
    </div>
  );
}
