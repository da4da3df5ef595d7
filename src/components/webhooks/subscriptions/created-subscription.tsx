import { ButtonLink } from '@/components/ui/form/button';
import { CodeBlock } from '@/components/ui/text/code-block';
import { SecretReveal } from '@/components/ui/text/secret-reveal';
import { verificationSamples } from '@/components/webhooks/subscriptions/verification-samples';
import type { Outputs } from '@/trpc/outputs';

/** Shown after creating a subscription: its secret, and code that verifies signatures with it. */
export function CreatedSubscription({
  subscription,
  base,
}: {
  subscription: Outputs['webhooks']['subscriptions']['create'];
  base: string;
}) {
  const open = (
    <ButtonLink variant="primary" href={`${base}/${subscription.id}`}>
      Open webhook
    </ButtonLink>
  );
  return (
    <div className="grid max-w-3xl grid-cols-1 gap-6">
      <div role="status">
        <h2 className="display text-xl">Webhook created</h2>
        <p className="mt-1 text-muted">
          From now on, events are sent to <code className="font-mono text-ink wrap-anywhere">{subscription.url}</code>.
        </p>
      </div>
      {subscription.signingSecret ? (
        <>
          <SecretReveal
            value={subscription.signingSecret}
            label="signing secret"
            shown
            note="Store it on your server. Owners and admins can show it again later, which is recorded in the audit log."
          />
          <CodeBlock title="Verify signatures" samples={verificationSamples} />
        </>
      ) : (
        <p className="text-muted">Requests are not signed, so there is no signing secret.</p>
      )}
      <div className="flex flex-wrap gap-3">
        {open}
        <ButtonLink href="/docs/api/receiving">How deliveries work</ButtonLink>
      </div>
    </div>
  );
}
