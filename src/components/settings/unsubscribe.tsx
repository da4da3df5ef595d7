'use client';

import { useMutation } from '@tanstack/react-query';
import { BellOff, CircleCheck } from 'lucide-react';
import { AuthHeading } from '@/components/auth/auth-shell';
import { Button } from '@/components/ui/form/button';
import { ErrorNote } from '@/components/ui/page/error-state';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** Switches mail off on a press, since programs that look into mail open links by themselves; and on again. */
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
  const wanted = change.data?.emailNotifications ?? emailNotifications;
  const error = change.error ? readError(change.error) : null;
  return (
    <>
      <AuthHeading title={wanted ? 'No more mail?' : 'No more mail'}>
        {wanted
          ? 'We write when something happens to your registrations and teams: approved, moved up, cancelled.'
          : 'You will have to look here yourself to see what happens to your registrations and teams.'}
      </AuthHeading>
      <div role="status" className="flex gap-3 rounded border bg-surface p-4">
        {wanted ? (
          <CircleCheck aria-hidden className="size-5 shrink-0 text-accent" />
        ) : (
          <BellOff aria-hidden className="size-5 shrink-0 text-muted" />
        )}
        <p className="wrap-anywhere">{wanted ? `${email} gets this mail.` : `${email} gets none of this mail.`}</p>
      </div>
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      <Button
        variant={wanted ? 'primary' : 'secondary'}
        size="lg"
        loading={change.isPending}
        onClick={() => change.mutate({ token, emailNotifications: !wanted })}
      >
        {wanted ? 'Stop this mail' : 'Send it again'}
      </Button>
      <p className="text-sm text-muted">Mail about your account itself, such as a new password, is always sent.</p>
    </>
  );
}
