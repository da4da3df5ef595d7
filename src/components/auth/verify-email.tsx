'use client';

import { useMutation } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { ErrorNote } from '@/components/ui/page/error-state';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** Confirms an email address at the press of a button, because email scanners open links on their own. */
export function VerifyEmail({ token, signedIn }: { token: string; signedIn: boolean }) {
  const trpc = useTRPC();
  const verify = useMutation(trpc.auth.verifyEmail.mutationOptions());

  if (verify.isSuccess) {
    return (
      <div role="status" className="grid gap-4 rounded border bg-surface p-5">
        <p className="flex gap-3">
          <CircleCheck aria-hidden className="size-5 shrink-0 text-accent" />
          Your email address is confirmed.
        </p>
        <ButtonLink href={signedIn ? '/me' : '/sign-in'} variant="primary" className="justify-self-start">
          {signedIn ? 'Continue' : 'Sign in'}
        </ButtonLink>
      </div>
    );
  }
  const error = verify.error ? readError(verify.error) : null;
  return (
    <div className="grid gap-5">
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      {error?.reason === 'INVALID_TOKEN' ? (
        <ButtonLink href={signedIn ? '/settings' : '/sign-in?next=/settings'} className="justify-self-start">
          Request a new link
        </ButtonLink>
      ) : (
        <Button variant="primary" size="lg" loading={verify.isPending} onClick={() => verify.mutate({ token })}>
          Confirm email address
        </Button>
      )}
    </div>
  );
}
