'use client';

import { useMutation } from '@tanstack/react-query';
import { Button } from '@/components/ui/form/button';
import { toastError } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

/** Emails a link to set a first password. */
export function SetPassword({ email }: { email: string }) {
  const trpc = useTRPC();
  const request = useMutation(
    trpc.auth.passwords.requestReset.mutationOptions({ onError: (error) => toastError(error) }),
  );
  return request.isSuccess ? (
    <p role="status">
      We sent a link to set a password to <strong className="font-medium">{email}</strong>.
    </p>
  ) : (
    <Button loading={request.isPending} onClick={() => request.mutate({ email })}>
      Email me a link to set a password
    </Button>
  );
}
