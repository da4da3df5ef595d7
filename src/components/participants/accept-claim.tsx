'use client';

import { useMutation } from '@tanstack/react-query';
import { AcceptButton } from '@/components/auth/accept-button';
import { navigateTo } from '@/components/auth/sign-in';
import { useTRPC } from '@/trpc/client';

/**
 * Takes over a participant with the viewer's account, and opens the tournament's page or, without one, the viewer's
 * list.
 */
export function AcceptClaim({ token, name, slug }: { token: string; name: string; slug: string | null }) {
  const trpc = useTRPC();
  const accept = useMutation(
    trpc.participants.claims.accept.mutationOptions({
      onSuccess: () => navigateTo(slug === null ? '/me' : `/tournaments/${slug}`),
    }),
  );
  return (
    <AcceptButton accept={accept} token={token}>
      I am {name}
    </AcceptButton>
  );
}
