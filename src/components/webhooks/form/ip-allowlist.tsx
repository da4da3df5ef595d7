'use client';

import { useQuery } from '@tanstack/react-query';
import { Controller, useFormContext } from 'react-hook-form';
import { Button } from '@/components/ui/form/button';
import { Checkbox } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { Textarea } from '@/components/ui/form/input';
import { CollapsibleSection } from '@/components/webhooks/form/collapsible-section';
import { type FormValues, splitList } from '@/components/webhooks/form/values';
import { isListed } from '@/domain/network/address-ranges';
import { counted } from '@/domain/text/counted';
import { isAddressRange } from '@/domain/webhooks/settings';
import { useTRPC } from '@/trpc/client';

/** The addresses from which the webhook may be managed. Warns before someone locks themselves out. */
export function IpAllowlistSection() {
  const trpc = useTRPC();
  const form = useFormContext<FormValues>();
  const entries = splitList(form.watch('ipWhitelist'));
  const { errors } = form.formState;
  const ownAddress = useQuery(trpc.webhooks.ownAddress.queryOptions()).data?.address;
  const validEntries = entries.filter(isAddressRange);
  const isOwnListed = ownAddress !== undefined && isListed(validEntries, ownAddress);
  const isLockedOut = ownAddress !== undefined && validEntries.length > 0 && !isOwnListed;
  return (
    <CollapsibleSection
      title="IP allowlist"
      description="The addresses from which this webhook may be viewed, changed and replayed. This does not affect where events are sent."
      summary={
        entries.length === 0
          ? 'Off. Owners and admins can manage this webhook from any address.'
          : `Managed only from ${counted(entries.length, 'address or range', 'addresses or ranges')}.`
      }
      hasErrors={Boolean(errors.ipWhitelist || errors.allowLockout)}
    >
      <Field
        label="Addresses and ranges"
        error={errors.ipWhitelist?.message}
        hint="One per line, such as 203.0.113.7 or 203.0.113.0/24. Leave empty to allow any address."
        aside={<code className="font-mono">ipWhitelist</code>}
      >
        <Textarea {...form.register('ipWhitelist')} rows={3} spellCheck={false} className="font-mono" />
      </Field>
      {ownAddress ? (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-2 text-muted">
          <span>
            Your current address is <code className="font-mono text-ink">{ownAddress}</code>.
          </span>
          {isOwnListed ? null : (
            <Button
              size="sm"
              onClick={() =>
                form.setValue('ipWhitelist', [...entries, ownAddress].join('\n'), {
                  shouldDirty: true,
                  shouldValidate: true,
                })
              }
            >
              Add it
            </Button>
          )}
        </p>
      ) : null}
      {isLockedOut || errors.allowLockout ? (
        <Controller
          control={form.control}
          name="allowLockout"
          render={({ field, fieldState }) => (
            <Field label="Lockout" hideLabel group error={fieldState.error?.message}>
              <Checkbox
                checked={field.value}
                onCheckedChange={field.onChange}
                label="Save even though my address is not on the list"
                hint="You will not be able to manage this webhook from your current address."
              />
            </Field>
          )}
        />
      ) : null}
    </CollapsibleSection>
  );
}
