'use client';

import type { UseFormReturn } from 'react-hook-form';
import { Field } from '@/components/ui/field';
import { FieldRow } from '@/components/ui/form-section';
import { Input } from '@/components/ui/input';
import { deliveryBounds, deliveryFields, retrySchedule, type WebhookForm } from '@/lib/webhook-forms';

type Name = keyof typeof deliveryFields;

const fields: { name: Name; label: string; unit?: string; hint: string }[] = [
  {
    name: 'timeoutMs',
    label: 'Time limit',
    unit: 'ms',
    hint: 'For one request, from name resolution to the last byte of the answer.',
  },
  { name: 'maxRetries', label: 'Retries', hint: 'After a first request that failed.' },
  { name: 'retryBaseDelayMs', label: 'First delay', unit: 'ms', hint: 'Before the first retry.' },
  { name: 'retryBackoffMultiplier', label: 'Growth', unit: '×', hint: 'Each delay is this many times the one before.' },
];

function span(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1).replace('.0', '')} h`;
}

/** What the four numbers come to. */
function Schedule({ values }: { values: WebhookForm }) {
  const { maxRetries, retryBaseDelayMs, retryBackoffMultiplier } = deliveryFields;
  const valid =
    maxRetries.safeParse(values.maxRetries).success &&
    retryBaseDelayMs.safeParse(values.retryBaseDelayMs).success &&
    retryBackoffMultiplier.safeParse(values.retryBackoffMultiplier).success;
  if (!valid) return null;
  const times = retrySchedule(values);
  const cut = times.length <= values.maxRetries;
  return (
    <div className="rounded border bg-sunken px-4 py-3">
      <p className="label text-muted">When every request fails</p>
      <p className="numerals mt-1">
        Sent at once
        {times.slice(1).map((at) => (
          <span key={at}>, after {span(at)}</span>
        ))}
        . Then the delivery {cut ? 'expires: nothing is sent later than 24 hours after the event' : 'counts as failed'}.
      </p>
    </div>
  );
}

/** How patient the sender is; every number keeps its name in the API. */
export function DeliverySettings({ form }: { form: UseFormReturn<WebhookForm> }) {
  const { errors } = form.formState;
  const values = form.watch();
  return (
    <>
      <FieldRow>
        {fields.map(({ name, label, unit, hint }) => {
          const { min, max } = deliveryBounds[name];
          return (
            <Field
              key={name}
              label={label}
              required
              error={errors[name]?.message}
              hint={`${hint} ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`}
              aside={<code className="font-mono">{name}</code>}
            >
              <Input
                {...form.register(name, { valueAsNumber: true })}
                type="number"
                inputMode="decimal"
                step="any"
                suffix={unit}
              />
            </Field>
          );
        })}
      </FieldRow>
      <Schedule values={values} />
    </>
  );
}
