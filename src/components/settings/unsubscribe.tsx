'use client';

import { useMutation } from '@tanstack/react-query';
import { BellOff, CircleCheck } from 'lucide-react';
import { AuthHeading } from '@/components/auth/auth-shell';
import { Button } from '@/components/ui/form/button';
import { ErrorNote } from '@/components/ui/page/error-state';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** Turns email notifications off or on at the press of a button, because email scanners open links on their own. */
export function Unsubscribe({
  token,
  email,
  emailNotifications,
}: {
  token: string;
  email: string;
  emailNotifications: boolean;
}) {
  const trpc = useTRPC();
  const change = useMutation(trpc.me.mail.set.mutationOptions());
  const isOn = change.data?.emailNotifications ?? emailNotifications;
  const error = change.error ? readError(change.error) : null;
  return (
    <>
      <AuthHeading title={isOn ? 'Unsubscribe?' : 'You are unsubscribed'}>
        {isOn
          ? 'We email you when something happens to your registrations and teams, such as an approval or a cancellation.'
          : 'Check Laurel for changes to your registrations and teams. We no longer email you about them.'}
      </AuthHeading>
      <div role="status" className="flex gap-3 rounded border bg-surface p-4">
        {isOn ? (
          <CircleCheck aria-hidden className="size-5 shrink-0 text-accent" />
        ) : (
          <BellOff aria-hidden className="size-5 shrink-0 text-muted" />
        )}
        <p className="wrap-anywhere">
          Email notifications to {email} are {isOn ? 'on' : 'off'}.
        </p>
      </div>
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      <Button
        variant={isOn ? 'primary' : 'secondary'}
        size="lg"
        loading={change.isPending}
        onClick={() => change.mutate({ token, emailNotifications: !isOn })}
      >
        {isOn ? 'Unsubscribe' : 'Resubscribe'}
      </Button>
      <p className="text-sm text-muted">Emails about your account, such as a password change, are always sent.</p>
    </>
  );
}
