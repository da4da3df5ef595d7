'use client';

import { useMutation } from '@tanstack/react-query';
import { navigateTo } from '@/components/auth/sign-in';
import { Button } from '@/components/ui/form/button';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { useTRPC } from '@/trpc/client';

/** Ends every session, this one too, after asking. */
export function SignOutEverywhere() {
  const trpc = useTRPC();
  const end = useMutation(trpc.me.signOutEverywhere.mutationOptions());
  return (
    <ConfirmDialog
      trigger={<Button>Sign out everywhere</Button>}
      title="Sign out everywhere?"
      confirmLabel="Sign out everywhere"
      cancelLabel="Stay signed in"
      onConfirm={async () => {
        await end.mutateAsync();
        navigateTo('/sign-in');
      }}
    >
      <p>Every browser and every program that signed in with your password has to sign in again, this browser too.</p>
      <p>Personal access tokens go on working; revoke those one by one.</p>
    </ConfirmDialog>
  );
}
