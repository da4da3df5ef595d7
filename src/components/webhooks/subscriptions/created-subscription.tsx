import { ButtonLink } from '@/components/ui/form/button';
import { CodeBlock } from '@/components/ui/text/code-block';
import { SecretReveal } from '@/components/ui/text/secret-reveal';
import { verificationSamples } from '@/components/webhooks/subscriptions/verify-snippets';
import type { Outputs } from '@/trpc/outputs';

/** A subscription that was just made: its secret, and how a receiver uses it. */
export function CreatedSubscription({
  subscription,
  base,
}: {
  subscription: Outputs['webhooks']['subscriptions']['create'];
  base: string;
}) {
  const open = (
    <ButtonLink variant="primary" href={`${base}/${subscription.id}`}>
      Open the webhook
    </ButtonLink>
  );
  return (
    <div className="grid max-w-3xl grid-cols-1 gap-6">
      <div role="status">
        <h2 className="display text-xl">The webhook is ready</h2>
        <p className="mt-1 text-muted">
          Events go to <code className="font-mono text-ink wrap-anywhere">{subscription.url}</code> from now on.
        </p>
      </div>
      {subscription.signingSecret ? (
        <>
          <SecretReveal
            value={subscription.signingSecret}
            label="signing secret"
            shown
            note="Give it to your server. Owners and admins can show it again later; each time is kept in the audit log."
          />
          <CodeBlock title="Check a signature" samples={verificationSamples} />
        </>
      ) : (
        <p className="text-muted">Requests are not signed, so there is no secret.</p>
      )}
      <div className="flex flex-wrap gap-3">
        {open}
        <ButtonLink href="/docs/api/receiving">How deliveries work</ButtonLink>
      </div>
    </div>
  );
}
