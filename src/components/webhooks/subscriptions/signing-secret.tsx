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
import { verificationSamples } from '@/components/webhooks/subscriptions/verification-samples';
import type { Subscription } from '@/components/webhooks/types';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** Shows the signing secret on request, which the audit log records. */
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
        note="The audit log records that you viewed it."
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
  { value: '24', label: '24 hours', hint: 'Leaves time to update your server.' },
  { value: '1', label: '1 hour' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
  { value: '0', label: 'Not at all', hint: 'For a secret that leaked. It stops working at once.' },
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
      title="Rotate signing secret"
      description="A new secret takes effect right away. Requests can be signed with the old one as well for a while."
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
            <p className="font-medium">Your new signing secret</p>
            <SecretReveal value={rotate.data.signingSecret} label="new signing secret" shown />
            {rotate.data.previousSecretUntil ? (
              <p className="text-muted">
                Requests are also signed with the old one until <DateTime value={rotate.data.previousSecretUntil} />.
              </p>
            ) : (
              <p className="text-muted">The old one no longer works.</p>
            )}
          </div>
        ) : (
          <>
            <Field label="Keep signing with the old secret for" required>
              <Select value={hours} onValueChange={setHours} options={overlaps} />
            </Field>
            <p className="text-muted">
              During that time, <code className="font-mono">webhook-signature</code> holds both signatures, and Standard
              Webhooks libraries accept either secret. <code className="font-mono">X-Webhook-Signature</code> switches
              to the new secret right away. If your server reads it, make it accept both secrets during the change.
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** The signing secret, its rotation, and code that verifies signatures. */
export function SignaturePanel({ subscription }: { subscription: Subscription }) {
  const { id, signPayload, previousSecretUntil } = subscription;
  if (!signPayload) {
    return (
      <Card title="Requests are not signed" className="max-w-3xl">
        <p className="text-muted">
          Your server cannot tell whether a request is genuine. You can turn on signing in the settings, with any
          authentication method.
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
              A rotation is in progress. Requests are also signed with the old secret for another{' '}
              <Countdown
                to={previousSecretUntil}
                label="Old secret stops working"
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
        <h2 className="display text-lg">Verify signatures</h2>
        <p className="max-w-prose text-muted">
          Each sample is a complete server that computes the HMAC of the raw body and compares it in constant time. Any
          Standard Webhooks library works as well, with the headers <code className="font-mono">webhook-id</code>,{' '}
          <code className="font-mono">webhook-timestamp</code> and <code className="font-mono">webhook-signature</code>.
        </p>
        <CodeBlock title="Server" samples={verificationSamples} />
      </section>
    </div>
  );
}
