'use client';

import { Controller, useFormContext } from 'react-hook-form';
import { Switch } from '@/components/ui/form/choices';
import { FieldRow } from '@/components/ui/form/form-section';
import { CollapsibleSection } from '@/components/webhooks/form/collapsible-section';
import { NumberField } from '@/components/webhooks/form/number-field';
import type { FormValues } from '@/components/webhooks/form/values';
import { describeRateLimits, formatDuration } from '@/components/webhooks/format';
import { counted } from '@/domain/text/counted';
import { retrySchedule } from '@/domain/webhooks/retry';
import { deliveryBounds, deliveryFields, rateBounds } from '@/domain/webhooks/settings';

const formatRange = ({ min, max }: { min: number; max: number }) =>
  `${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`;

type Policy = Pick<FormValues, 'maxRetries' | 'retryBaseDelayMs' | 'retryBackoffMultiplier'>;

function isValid(policy: Policy): boolean {
  return (['maxRetries', 'retryBaseDelayMs', 'retryBackoffMultiplier'] as const).every(
    (name) => deliveryFields[name].safeParse(policy[name]).success,
  );
}

/** The times of all attempts under a retry policy. */
function RetrySchedule({ policy }: { policy: Policy }) {
  if (!isValid(policy)) return null;
  const times = retrySchedule(policy);
  const expires = times.length <= policy.maxRetries;
  return (
    <div className="grid gap-3 rounded border bg-sunken px-4 py-3">
      <p className="label text-muted">When every request fails</p>
      <ol className="grid grid-cols-[repeat(auto-fill,minmax(7rem,1fr))] gap-x-4 gap-y-2">
        {times.map((at, index) => (
          <li key={at} className="border-l-2 border-accent pl-2">
            <span className="block text-xs text-muted">{index === 0 ? 'First attempt' : `Retry ${index}`}</span>
            <span className="numerals font-medium">
              {index === 0 ? 'right away' : `after ${formatDuration(at * 1_000)}`}
            </span>
          </li>
        ))}
      </ol>
      <p className="text-muted">
        Each delay varies by up to 10%, so that retries do not all arrive at once. After that, the delivery{' '}
        {expires ? 'expires, because nothing is retried for longer than 24 hours' : 'fails'}. You can still resend it
        manually.
      </p>
    </div>
  );
}

/** How long a request may take, and how often it is retried. */
export function RetrySection() {
  const { watch, formState } = useFormContext<FormValues>();
  const policy = watch();
  const { errors } = formState;
  const last = isValid(policy) ? (retrySchedule(policy).at(-1) ?? 0) : 0;
  return (
    <CollapsibleSection
      title="Time limit and retries"
      description="Failed requests are retried after a delay that grows each time. The defaults suit most servers."
      summary={
        policy.maxRetries === 0
          ? `${formatDuration(policy.timeoutMs)} per request, without retries.`
          : `${formatDuration(policy.timeoutMs)} per request, up to ${counted(policy.maxRetries, 'retry', 'retries')}, the last one ${formatDuration(last * 1_000)} after the event.`
      }
      hasErrors={Boolean(
        errors.timeoutMs || errors.maxRetries || errors.retryBaseDelayMs || errors.retryBackoffMultiplier,
      )}
    >
      <FieldRow>
        <NumberField
          name="timeoutMs"
          label="Time limit"
          unit="ms"
          hint={`For one request, from the DNS lookup to the end of the response. ${formatRange(deliveryBounds.timeoutMs)}`}
        />
        <NumberField
          name="maxRetries"
          label="Retries"
          hint={`After a failed first attempt. ${formatRange(deliveryBounds.maxRetries)}`}
        />
        <NumberField
          name="retryBaseDelayMs"
          label="First delay"
          unit="ms"
          hint={`Before the first retry. ${formatRange(deliveryBounds.retryBaseDelayMs)}`}
        />
        <NumberField
          name="retryBackoffMultiplier"
          label="Delay multiplier"
          unit="×"
          hint={`Each delay is this many times the previous one. ${formatRange(deliveryBounds.retryBackoffMultiplier)}`}
        />
      </FieldRow>
      <RetrySchedule policy={policy} />
    </CollapsibleSection>
  );
}

/** When sending stops for a while because the endpoint keeps failing. */
export function CircuitBreakerSection() {
  const form = useFormContext<FormValues>();
  const enabled = form.watch('enableCircuitBreaker');
  const threshold = form.watch('circuitBreakerThreshold');
  const timeout = form.watch('circuitBreakerTimeoutMs');
  const { errors } = form.formState;
  return (
    <CollapsibleSection
      title="Circuit breaker"
      description="Stops sending for a while after too many failures in a row. Events are held, not lost. Then one of them is sent as a probe, and if it succeeds, the rest follow."
      summary={
        enabled
          ? `Opens after ${counted(threshold, 'failure')} in a row, for ${formatDuration(timeout)}.`
          : 'Off. Events are always sent right away.'
      }
      hasErrors={Boolean(errors.circuitBreakerThreshold || errors.circuitBreakerTimeoutMs)}
    >
      <Controller
        control={form.control}
        name="enableCircuitBreaker"
        render={({ field }) => (
          <Switch checked={field.value} onCheckedChange={field.onChange} label="Use a circuit breaker" />
        )}
      />
      {enabled ? (
        <FieldRow>
          <NumberField
            name="circuitBreakerThreshold"
            label="Threshold"
            hint={`Failures in a row, including retries, that open it. ${formatRange(deliveryBounds.circuitBreakerThreshold)}`}
          />
          <NumberField
            name="circuitBreakerTimeoutMs"
            label="Timeout"
            unit="ms"
            hint={`Time until a probe is sent. ${formatRange(deliveryBounds.circuitBreakerTimeoutMs)}`}
          />
        </FieldRow>
      ) : null}
    </CollapsibleSection>
  );
}

const limits = [
  { name: 'perMinute', label: 'Per minute' },
  { name: 'perHour', label: 'Per hour' },
  { name: 'perDay', label: 'Per day' },
] as const;

/** How many requests are sent to the endpoint at most. */
export function RateLimitSection() {
  const { watch, formState } = useFormContext<FormValues>();
  const summary = describeRateLimits(watch());
  const { errors } = formState;
  return (
    <CollapsibleSection
      title="Rate limits"
      description="Events over a limit wait their turn. Nothing is lost, and no retry is used up. Leave a field empty for no limit."
      summary={summary ? `At most ${summary}.` : 'None. Events are sent as they happen.'}
      hasErrors={Boolean(errors.perMinute || errors.perHour || errors.perDay || errors.burst)}
    >
      <FieldRow>
        {limits.map(({ name, label }) => (
          <NumberField
            key={name}
            name={name}
            label={label}
            optional
            hint={`Maximum number of requests, up to ${rateBounds[name].toLocaleString('en')}.`}
          />
        ))}
        <NumberField
          name="burst"
          label="Burst"
          optional
          hint={`Maximum number of requests per second, up to ${rateBounds.burst.toLocaleString('en')}.`}
        />
      </FieldRow>
    </CollapsibleSection>
  );
}
