'use client';

import { useMutation } from '@tanstack/react-query';
import { navigateTo } from '@/components/auth/sign-in';
import { Button } from '@/components/ui/form/button';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { useTRPC } from '@/trpc/client';

/** Signs out of every session, including this one, after a confirmation. */
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
      <p>Every browser and app that signed in with your password has to sign in again, including this one.</p>
      <p>Personal access tokens keep working. Revoke them one by one if you need to.</p>
    </ConfirmDialog>
  );
}
