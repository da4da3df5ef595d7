'use client';

import { Controller, useFormContext } from 'react-hook-form';
import { Switch } from '@/components/ui/form/choices';
import { FieldRow } from '@/components/ui/form/form-section';
import { formatDuration } from '@/components/webhooks/failures';
import { CollapsibleSection } from '@/components/webhooks/form/collapsible-section';
import { NumberField } from '@/components/webhooks/form/number-field';
import type { FormValues } from '@/components/webhooks/form/values';
import { deliveryBounds, deliveryFields, rateBounds, retrySchedule } from '@/domain/webhooks/settings';

const formatRange = ({ min, max }: { min: number; max: number }) =>
  `${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`;

type Policy = Pick<FormValues, 'maxRetries' | 'retryBaseDelayMs' | 'retryBackoffMultiplier'>;

function isValid(policy: Policy): boolean {
  return (['maxRetries', 'retryBaseDelayMs', 'retryBackoffMultiplier'] as const).every(
    (name) => deliveryFields[name].safeParse(policy[name]).success,
  );
}

/** When a policy tries, drawn along the 24 hours in which a delivery lives; the scale is of a logarithm. */
function Schedule({ policy }: { policy: Policy }) {
  if (!isValid(policy)) return null;
  const times = retrySchedule(policy);
  const cut = times.length <= policy.maxRetries;
  return (
    <div className="grid gap-3 rounded border bg-sunken px-4 py-3">
      <p className="label text-muted">When every request fails</p>
      <ol className="grid grid-cols-[repeat(auto-fill,minmax(7rem,1fr))] gap-x-4 gap-y-2">
        {times.map((at, index) => (
          <li key={at} className="border-l-2 border-accent pl-2">
            <span className="block text-xs text-muted">{index === 0 ? 'First request' : `Retry ${index}`}</span>
            <span className="numerals font-medium">
              {index === 0 ? 'at once' : `after ${formatDuration(at * 1_000)}`}
            </span>
          </li>
        ))}
      </ol>
      <p className="text-muted">
        Each delay varies by a tenth, so that many deliveries do not come back at once. Then the delivery{' '}
        {cut ? 'expires: nothing is sent later than 24 hours after its event' : 'counts as failed'}, and you can send it
        again by hand.
      </p>
    </div>
  );
}

/** How long one request may take, and how often a failed one is sent again. */
export function RetrySection() {
  const { watch, formState } = useFormContext<FormValues>();
  const policy = watch();
  const { errors } = formState;
  const last = isValid(policy) ? (retrySchedule(policy).at(-1) ?? 0) : 0;
  return (
    <CollapsibleSection
      title="Time limit and retries"
      description="When a request fails, it is sent again after a delay that grows. The usual numbers suit most receivers."
      summary={
        policy.maxRetries === 0
          ? `${formatDuration(policy.timeoutMs)} for an answer; a failed request is not sent again.`
          : `${formatDuration(policy.timeoutMs)} for an answer; up to ${policy.maxRetries} retries, the last ${formatDuration(last * 1_000)} after the event.`
      }
      faulty={Boolean(
        errors.timeoutMs || errors.maxRetries || errors.retryBaseDelayMs || errors.retryBackoffMultiplier,
      )}
    >
      <FieldRow>
        <NumberField
          name="timeoutMs"
          label="Time limit"
          unit="ms"
          hint={`For one request, from name resolution to the last byte of the answer. ${formatRange(deliveryBounds.timeoutMs)}`}
        />
        <NumberField
          name="maxRetries"
          label="Retries"
          hint={`After a first request that failed. ${formatRange(deliveryBounds.maxRetries)}`}
        />
        <NumberField
          name="retryBaseDelayMs"
          label="First delay"
          unit="ms"
          hint={`Before the first retry. ${formatRange(deliveryBounds.retryBaseDelayMs)}`}
        />
        <NumberField
          name="retryBackoffMultiplier"
          label="Growth"
          unit="×"
          hint={`Each delay is this many times the one before. ${formatRange(deliveryBounds.retryBackoffMultiplier)}`}
        />
      </FieldRow>
      <Schedule policy={policy} />
    </CollapsibleSection>
  );
}

/** When sending stops for a while because the receiver keeps failing. */
export function CircuitBreakerSection() {
  const form = useFormContext<FormValues>();
  const on = form.watch('enableCircuitBreaker');
  const threshold = form.watch('circuitBreakerThreshold');
  const rest = form.watch('circuitBreakerTimeoutMs');
  const { errors } = form.formState;
  return (
    <CollapsibleSection
      title="Circuit breaker"
      description="A receiver that fails again and again is left alone for a while. Its events are held, not lost; then one of them is sent as a probe, and when that succeeds all others follow."
      summary={
        on
          ? `Opens after ${threshold} failures in a row, for ${formatDuration(rest)}.`
          : 'Off: every event is tried at once.'
      }
      faulty={Boolean(errors.circuitBreakerThreshold || errors.circuitBreakerTimeoutMs)}
    >
      <Controller
        control={form.control}
        name="enableCircuitBreaker"
        render={({ field }) => (
          <Switch checked={field.value} onCheckedChange={field.onChange} label="Use a circuit breaker" />
        )}
      />
      {on ? (
        <FieldRow>
          <NumberField
            name="circuitBreakerThreshold"
            label="Failures in a row"
            hint={`Failed requests, retries included, that open it. ${formatRange(deliveryBounds.circuitBreakerThreshold)}`}
          />
          <NumberField
            name="circuitBreakerTimeoutMs"
            label="Rest"
            unit="ms"
            hint={`Time until the probe. ${formatRange(deliveryBounds.circuitBreakerTimeoutMs)}`}
          />
        </FieldRow>
      ) : null}
    </CollapsibleSection>
  );
}

const caps = [
  { name: 'perMinute', label: 'Each minute' },
  { name: 'perHour', label: 'Each hour' },
  { name: 'perDay', label: 'Each day' },
] as const;

/** At most how much goes to the receiver. */
export function RateLimitSection() {
  const { watch, formState } = useFormContext<FormValues>();
  const values = watch();
  const set = [
    values.perMinute === null ? null : `${values.perMinute} a minute`,
    values.perHour === null ? null : `${values.perHour} an hour`,
    values.perDay === null ? null : `${values.perDay} a day`,
    values.burst === null ? null : `${values.burst} a second`,
  ].filter(Boolean);
  const { errors } = formState;
  return (
    <CollapsibleSection
      title="Rate caps"
      description="What is over a cap waits until it fits; nothing is lost and no retry is used up. Leave a field empty for no cap."
      summary={set.length > 0 ? `At most ${set.join(', ')}.` : 'None: events are sent as they happen.'}
      faulty={Boolean(errors.perMinute || errors.perHour || errors.perDay || errors.burst)}
    >
      <FieldRow>
        {caps.map(({ name, label }) => (
          <NumberField
            key={name}
            name={name}
            label={label}
            optional
            hint={`Requests at most. Up to ${rateBounds[name].toLocaleString('en')}.`}
          />
        ))}
        <NumberField
          name="burst"
          label="Burst"
          optional
          hint={`Requests at most within one second. Up to ${rateBounds.burst.toLocaleString('en')}.`}
        />
      </FieldRow>
    </CollapsibleSection>
  );
}
