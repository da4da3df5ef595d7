'use client';

import { useMutation } from '@tanstack/react-query';
import { Button } from '@/components/ui/form/button';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

/** Sends the link that confirms the viewer's address again. */
export function ResendConfirmation({ email }: { email: string }) {
  const trpc = useTRPC();
  const resend = useMutation(
    trpc.auth.resendVerification.mutationOptions({
      onError: (error) => toastError(error),
      onSuccess: () => toastSuccess('New link sent', email),
    }),
  );
  return (
    <Button size="sm" loading={resend.isPending} disabled={resend.isSuccess} onClick={() => resend.mutate({ email })}>
      Resend link
    </Button>
  );
}
