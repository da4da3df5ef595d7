'use client';

import { useMutation } from '@tanstack/react-query';
import { signOut } from 'next-auth/react';
import { AcceptButton } from '@/components/auth/accept-button';
import { navigateTo } from '@/components/auth/sign-in';
import { Button } from '@/components/ui/form/button';
import { useTRPC } from '@/trpc/client';

/** Accepts an invitation to a project. */
export function AcceptInvitation({ token, projectName }: { token: string; projectName: string }) {
  const trpc = useTRPC();
  const accept = useMutation(
    trpc.projects.invitations.accept.mutationOptions({ onSuccess: ({ slug }) => navigateTo(`/dashboard/${slug}`) }),
  );
  return (
    <AcceptButton accept={accept} token={token}>
      Join {projectName}
    </AcceptButton>
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
