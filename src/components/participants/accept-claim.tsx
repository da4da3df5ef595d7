'use client';

import { useMutation } from '@tanstack/react-query';
import { navigateTo } from '@/components/auth/sign-in';
import { Button } from '@/components/ui/form/button';
import { ErrorNote } from '@/components/ui/page/error-state';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** Takes over a participant with the viewer's account, and opens the tournament's page or, without one, the viewer's list. */
export function AcceptClaim({ token, name, slug }: { token: string; name: string; slug: string | null }) {
  const trpc = useTRPC();
  const accept = useMutation(
    trpc.participants.claims.accept.mutationOptions({
      onSuccess: () => navigateTo(slug === null ? '/me' : `/tournaments/${slug}`),
    }),
  );
  const error = accept.error ? readError(accept.error) : null;
  return (
    <div className="grid gap-4">
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      <Button
        variant="primary"
        size="lg"
        loading={accept.isPending || accept.isSuccess}
        onClick={() => accept.mutate({ token })}
      >
        <span className="max-w-64 truncate">I am {name}</span>
      </Button>
    </div>
  );
}
