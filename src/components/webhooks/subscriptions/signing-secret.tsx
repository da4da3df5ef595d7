'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { KeyRound, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Card } from '@/components/ui/data/card';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Select } from '@/components/ui/form/select';
import { Dialog } from '@/components/ui/overlay/dialog';
import { toastError } from '@/components/ui/overlay/toaster';
import { ErrorNote } from '@/components/ui/page/error-state';
import { CodeBlock } from '@/components/ui/text/code-block';
import { Countdown } from '@/components/ui/text/countdown';
import { DateTime } from '@/components/ui/text/date-time';
import { SecretReveal } from '@/components/ui/text/secret-reveal';
import { verificationSamples } from '@/components/webhooks/subscriptions/verify-snippets';
import type { Subscription } from '@/components/webhooks/types';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** Shows the signing secret again; the audit log keeps who looked. */
function RevealSecret({ id }: { id: string }) {
  const trpc = useTRPC();
  const reveal = useMutation(
    trpc.webhooks.subscriptions.revealSecret.mutationOptions({ onError: (error) => toastError(error) }),
  );
  if (reveal.data) {
    return (
      <SecretReveal
        value={reveal.data.signingSecret}
        label="signing secret"
        shown
        note="The audit log keeps that you looked."
      />
    );
  }
  return (
    <Button
      icon={<KeyRound aria-hidden />}
      className="justify-self-start"
      loading={reveal.isPending}
      onClick={() => reveal.mutate({ id })}
    >
      Show secret
    </Button>
  );
}

const overlaps = [
  { value: '24', label: '24 hours', hint: 'Time to change it on your server in peace.' },
  { value: '1', label: '1 hour' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
  { value: '0', label: 'None', hint: 'The old secret ends at once: for one that leaked.' },
];

function RotateSecret({ id }: { id: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [open, setOpen] = useState(false);
  const [hours, setHours] = useState('24');
  const rotate = useMutation(
    trpc.webhooks.subscriptions.rotateSecret.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() }),
    }),
  );
  const error = rotate.error ? readError(rotate.error) : null;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        if (!next) rotate.reset();
        setOpen(next);
      }}
      trigger={
        <Button icon={<RefreshCw aria-hidden />} className="justify-self-start">
          Rotate secret
        </Button>
      }
      title="Rotate the signing secret"
      description="A new secret signs from now on. During the overlap, each request carries a signature by the old one as well."
      footer={
        rotate.data ? (
          <Button variant="primary" onClick={() => setOpen(false)}>
            I have stored it
          </Button>
        ) : (
          <>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button
              variant="primary"
              loading={rotate.isPending}
              onClick={() => rotate.mutate({ id, overlapHours: Number(hours) })}
            >
              Rotate now
            </Button>
          </>
        )
      }
    >
      <div className="grid gap-4">
        {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
        {rotate.data ? (
          <div role="status" className="grid gap-3">
            <p className="font-medium">This is the new secret</p>
            <SecretReveal value={rotate.data.signingSecret} label="new signing secret" shown />
            {rotate.data.previousSecretUntil ? (
              <p className="text-muted">
                The old one signs beside it until <DateTime value={rotate.data.previousSecretUntil} />.
              </p>
            ) : (
              <p className="text-muted">The old one has ended.</p>
            )}
          </div>
        ) : (
          <>
            <Field label="Overlap" required>
              <Select value={hours} onValueChange={setHours} options={overlaps} />
            </Field>
            <p className="text-muted">
              In the overlap <code className="font-mono">webhook-signature</code> holds both signatures, and a Standard
              Webhooks library accepts either secret. <code className="font-mono">X-Webhook-Signature</code> is by the
              new secret at once: a receiver that reads it must know both secrets for a moment, or take the change
              first.
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** The secret that requests are signed with, and how a receiver checks it. */
export function SignaturePanel({ subscription }: { subscription: Subscription }) {
  const { id, signPayload, previousSecretUntil } = subscription;
  if (!signPayload) {
    return (
      <Card title="Requests are not signed" className="max-w-3xl">
        <p className="text-muted">
          Your server cannot tell whether a request is genuine. Switch signing on in the settings; it goes with every
          mode of authentication.
        </p>
      </Card>
    );
  }
  return (
    <div className="grid max-w-4xl grid-cols-1 gap-6">
      <Card title="Signing secret">
        <div className="grid gap-4">
          {previousSecretUntil ? (
            <p>
              A rotation is under way: the old secret signs beside the new one for another{' '}
              <Countdown
                to={previousSecretUntil}
                label="Old secret ends"
                size="sm"
                thresholds={[3_600]}
                ended="moment"
              />
              .
            </p>
          ) : null}
          <div className="flex flex-wrap gap-3">
            <RevealSecret key={subscription.version} id={id} />
            <RotateSecret id={id} />
          </div>
        </div>
      </Card>
      <section className="grid grid-cols-1 gap-3">
        <h2 className="display text-lg">Check a signature</h2>
        <p className="max-w-prose text-muted">
          Each is a whole receiver: it makes the HMAC of the raw body, and compares it in constant time. Any library of{' '}
          Standard Webhooks works as well, with the headers <code className="font-mono">webhook-id</code>,{' '}
          <code className="font-mono">webhook-timestamp</code> and <code className="font-mono">webhook-signature</code>.
        </p>
        <CodeBlock title="Receiver" samples={verificationSamples} />
      </section>
    </div>
  );
}
