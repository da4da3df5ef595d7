'use client';

import { Controller, useFormContext } from 'react-hook-form';
import { Switch } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { FieldRow } from '@/components/ui/form/form-section';
import { Input } from '@/components/ui/form/input';
import { CollapsibleSection } from '@/components/webhooks/form/collapsible-section';
import { NumberField } from '@/components/webhooks/form/number-field';
import type { FormValues } from '@/components/webhooks/form/values';
import { formatDuration } from '@/components/webhooks/format';
import { healthBounds } from '@/domain/webhooks/settings';

/** Whether and how the endpoint's health is checked between deliveries. */
export function HealthCheckSection() {
  const form = useFormContext<FormValues>();
  const enabled = form.watch('healthEnabled');
  const interval = form.watch('intervalSeconds');
  const { errors } = form.formState;
  return (
    <CollapsibleSection
      title="Health check"
      description="Sends a GET request without credentials at regular intervals, so that you notice an outage before the next event. It never stops deliveries."
      summary={enabled ? `Every ${formatDuration(interval * 1_000)}.` : 'Off.'}
      hasErrors={Boolean(errors.healthUrl || errors.intervalSeconds || errors.expectedStatusCodes)}
    >
      <Controller
        control={form.control}
        name="healthEnabled"
        render={({ field }) => (
          <Switch checked={field.value} onCheckedChange={field.onChange} label="Check the endpoint's health" />
        )}
      />
      {enabled ? (
        <>
          <Field
            label="Health check URL"
            error={errors.healthUrl?.message}
            hint="Defaults to the webhook's URL. It must be public as well."
            aside={<code className="font-mono">healthCheck.url</code>}
          >
            <Input {...form.register('healthUrl')} type="url" inputMode="url" spellCheck={false} autoComplete="off" />
          </Field>
          <FieldRow>
            <NumberField
              name="intervalSeconds"
              label="Interval"
              unit="s"
              hint={`Time between checks. ${healthBounds.min} to ${healthBounds.max.toLocaleString('en')}.`}
            />
            <Field
              label="Expected status codes"
              required
              error={errors.expectedStatusCodes?.message}
              hint="The endpoint is healthy if it responds with one of these, such as 200, 204."
            >
              <Input {...form.register('expectedStatusCodes')} inputMode="numeric" autoComplete="off" />
            </Field>
          </FieldRow>
        </>
      ) : null}
    </CollapsibleSection>
  );
}
