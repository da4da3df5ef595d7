'use client';

import { useMutation } from '@tanstack/react-query';
import { navigateTo } from '@/components/auth/sign-in';
import { Button } from '@/components/ui/form/button';
import { ErrorNote } from '@/components/ui/page/error-state';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** Accepts an invitation to a team, or declines one that was sent to the viewer personally. */
export function InvitationResponse({
  token,
  teamName,
  canDecline,
}: {
  token: string;
  teamName: string;
  canDecline: boolean;
}) {
  const trpc = useTRPC();
  const { accept, decline } = trpc.teams.invitations;
  const joining = useMutation(accept.mutationOptions({ onSuccess: ({ teamId }) => navigateTo(`/teams/${teamId}`) }));
  const declining = useMutation(decline.mutationOptions({ onSuccess: () => navigateTo('/me') }));
  const thrown = joining.error ?? declining.error;
  const error = thrown ? readError(thrown) : null;
  const done = joining.isSuccess || declining.isSuccess;
  return (
    <div className="grid gap-4">
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      <Button
        variant="primary"
        size="lg"
        disabled={declining.isPending || done}
        loading={joining.isPending || joining.isSuccess}
        onClick={() => joining.mutate({ token })}
      >
        <span className="max-w-64 truncate">Join {teamName}</span>
      </Button>
      {canDecline ? (
        <Button
          variant="ghost"
          disabled={joining.isPending || done}
          loading={declining.isPending || declining.isSuccess}
          onClick={() => declining.mutate({ token })}
        >
          Decline
        </Button>
      ) : null}
    </div>
  );
}
