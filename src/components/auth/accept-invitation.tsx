'use client';

import { useMutation } from '@tanstack/react-query';
import { signOut } from 'next-auth/react';
import { navigateTo } from '@/components/auth/sign-in';
import { Button } from '@/components/ui/form/button';
import { ErrorNote } from '@/components/ui/page/error-state';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** Accepts an invitation to a project. */
export function AcceptInvitation({ token, projectName }: { token: string; projectName: string }) {
  const trpc = useTRPC();
  const accept = useMutation(
    trpc.projects.invitations.accept.mutationOptions({ onSuccess: ({ slug }) => navigateTo(`/dashboard/${slug}`) }),
  );
  const error = accept.error ? readError(accept.error) : null;
  return (
    <div className="grid gap-5">
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      <Button
        variant="primary"
        size="lg"
        loading={accept.isPending || accept.isSuccess}
        onClick={() => accept.mutate({ token })}
      >
        <span className="truncate">Join {projectName}</span>
      </Button>
    </div>
  );
}

/** Shown to someone who is signed in with an address other than the invited one. */
export function SwitchAccount({
  invited,
  signedIn,
  returnTo,
}: {
  invited: string;
  signedIn: string;
  returnTo: string;
}) {
  return (
    <div className="grid gap-4">
      <p className="wrap-anywhere">
        This invitation is for <strong>{invited}</strong>, but you are signed in as <strong>{signedIn}</strong>.
      </p>
      <Button className="justify-self-start" onClick={() => void signOut({ callbackUrl: returnTo })}>
        Switch accounts
      </Button>
    </div>
  );
}
