'use client';

import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { CodeBlock } from '@/components/ui/code-block';
import { Dialog } from '@/components/ui/dialog';
import { SecretReveal } from '@/components/ui/secret-reveal';
import { toastError } from '@/components/ui/toaster';
import { verifySnippets } from '@/components/webhooks/verify-snippets';
import { useTRPC } from '@/trpc/client';

/** Shows the signing secret again; the audit log keeps who looked. */
export function RevealSecret({ id }: { id: string }) {
  const trpc = useTRPC();
  const reveal = useMutation(
    trpc.webhooks.subscriptions.revealSecret.mutationOptions({ onError: (error) => toastError(error) }),
  );
  return (
    <>
      <Button icon={<KeyRound aria-hidden />} loading={reveal.isPending} onClick={() => reveal.mutate({ id })}>
        Show secret
      </Button>
      <Dialog
        open={reveal.data !== undefined}
        onOpenChange={(open) => {
          if (!open) reveal.reset();
        }}
        title="Signing secret"
        description="The audit log keeps that you looked."
        width="lg"
      >
        <div className="grid grid-cols-1 gap-4">
          <SecretReveal value={reveal.data?.signingSecret ?? ''} label="signing secret" />
          <CodeBlock title="Check a signature" samples={verifySnippets} />
        </div>
      </Dialog>
    </>
  );
}
