'use client';

import { useQuery } from '@tanstack/react-query';
import { Controller, useFormContext } from 'react-hook-form';
import { Button } from '@/components/ui/form/button';
import { Checkbox, Switch } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { FieldRow } from '@/components/ui/form/form-section';
import { Input, Textarea } from '@/components/ui/form/input';
import { formatDuration } from '@/components/webhooks/failures';
import { CollapsibleSection } from '@/components/webhooks/form/collapsible-section';
import { NumberField } from '@/components/webhooks/form/number-field';
import { type FormValues, splitList } from '@/components/webhooks/form/values';
import { isListed } from '@/domain/network/address-ranges';
import { counted } from '@/domain/text/counted';
import { healthBounds, isAddressRange } from '@/domain/webhooks/settings';
import { useTRPC } from '@/trpc/client';

/** From which addresses the webhook may be managed. */
export function IpAllowlistSection() {
  const trpc = useTRPC();
  const form = useFormContext<FormValues>();
  const text = form.watch('ipWhitelist');
  const entries = splitList(text);
  const { errors } = form.formState;
  const own = useQuery(trpc.webhooks.ownAddress.queryOptions()).data?.address;
  const readable = entries.filter(isAddressRange);
  const listed = own !== undefined && isListed(readable, own);
  const lockedOut = own !== undefined && readable.length > 0 && !listed;
  return (
    <CollapsibleSection
      title="Management addresses"
      description="From where this webhook may be read, changed and replayed. It says nothing about where events go."
      summary={
        entries.length === 0
          ? 'Any: owners and admins manage it from everywhere.'
          : `Only from ${counted(entries.length, 'address or range', 'addresses or ranges')}.`
      }
      faulty={Boolean(errors.ipWhitelist || errors.allowLockout)}
    >
      <Field
        label="Addresses and ranges"
        error={errors.ipWhitelist?.message}
        hint="One a line, such as 203.0.113.7 or 203.0.113.0/24. Empty: any."
        aside={<code className="font-mono">ipWhitelist</code>}
      >
        <Textarea {...form.register('ipWhitelist')} rows={3} spellCheck={false} className="font-mono" />
      </Field>
      {own ? (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-2 text-muted">
          <span>
            Your address now is <code className="font-mono text-ink">{own}</code>.
          </span>
          {listed ? null : (
            <Button
              size="sm"
              onClick={() =>
                form.setValue('ipWhitelist', [...entries, own].join('\n'), { shouldDirty: true, shouldValidate: true })
              }
            >
              Add it
            </Button>
          )}
        </p>
      ) : null}
      {lockedOut || errors.allowLockout ? (
        <Controller
          control={form.control}
          name="allowLockout"
          render={({ field, fieldState }) => (
            <Field label="Lockout" hideLabel group error={fieldState.error?.message}>
              <Checkbox
                checked={field.value}
                onCheckedChange={field.onChange}
                label="Save although my own address is not in the list"
                hint="From here, nobody can then manage this webhook."
              />
            </Field>
          )}
        />
      ) : null}
    </CollapsibleSection>
  );
}

/** Whether the receiver is looked after while no event is due. */
export function HealthCheckSection() {
  const form = useFormContext<FormValues>();
  const on = form.watch('healthEnabled');
  const interval = form.watch('intervalSeconds');
  const { errors } = form.formState;
  return (
    <CollapsibleSection
      title="Health check"
      description="A plain GET from time to time, without credentials, so that you hear of an outage before an event is due. It does not stop deliveries."
      summary={on ? `Every ${formatDuration(interval * 1_000)}.` : 'Off.'}
      faulty={Boolean(errors.healthUrl || errors.intervalSeconds || errors.expectedStatusCodes)}
    >
      <Controller
        control={form.control}
        name="healthEnabled"
        render={({ field }) => (
          <Switch checked={field.value} onCheckedChange={field.onChange} label="Check the receiver's health" />
        )}
      />
      {on ? (
        <>
          <Field
            label="Address to ask"
            error={errors.healthUrl?.message}
            hint="Instead of the URL above; it must be public as well."
            aside={<code className="font-mono">healthCheck.url</code>}
          >
            <Input {...form.register('healthUrl')} type="url" inputMode="url" spellCheck={false} autoComplete="off" />
          </Field>
          <FieldRow>
            <NumberField
              name="intervalSeconds"
              label="Interval"
              unit="s"
              hint={`Between two checks. ${healthBounds.min} to ${healthBounds.max.toLocaleString('en')}.`}
            />
            <Field
              label="Expected status codes"
              required
              error={errors.expectedStatusCodes?.message}
              hint="Any of them counts as healthy, such as 200, 204."
            >
              <Input {...form.register('expectedStatusCodes')} inputMode="numeric" autoComplete="off" />
            </Field>
          </FieldRow>
        </>
      ) : null}
    </CollapsibleSection>
  );
}
