'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Controller, useForm } from 'react-hook-form';
import { Button, ButtonLink } from '@/components/ui/button';
import { RadioCards } from '@/components/ui/choices';
import { ErrorNote } from '@/components/ui/error-state';
import { Field } from '@/components/ui/field';
import { FormError, useFormErrors } from '@/components/ui/form-error';
import { FormActions, FormSection } from '@/components/ui/form-section';
import { Input } from '@/components/ui/input';
import { SkeletonTable } from '@/components/ui/skeleton';
import { CreatedSubscription } from '@/components/webhooks/created-subscription';
import { DeliverySettings } from '@/components/webhooks/delivery-settings';
import { EventPicker } from '@/components/webhooks/event-picker';
import { UrlField } from '@/components/webhooks/url-field';
import { deliveryBounds, type WebhookForm, webhookForm } from '@/lib/webhook-forms';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const modes = [
  {
    value: 'hmac_signature',
    label: 'Sign each request',
    hint: 'Your server can tell that a request is genuine. Recommended.',
  },
  { value: 'none', label: 'No authentication', hint: 'Anyone who knows the URL could send it made-up events.' },
];

const emptyForm: WebhookForm = {
  url: '',
  description: '',
  events: [],
  mode: 'hmac_signature',
  timeoutMs: deliveryBounds.timeoutMs.usual,
  maxRetries: deliveryBounds.maxRetries.usual,
  retryBaseDelayMs: deliveryBounds.retryBaseDelayMs.usual,
  retryBackoffMultiplier: deliveryBounds.retryBackoffMultiplier.usual,
};

function EventsField({ value, error, onChange }: { value: string[]; error?: string; onChange: (v: string[]) => void }) {
  const trpc = useTRPC();
  const types = useQuery(
    trpc.webhooks.eventTypes.queryOptions({ limit: 100 }, { staleTime: Number.POSITIVE_INFINITY }),
  );
  const failure = types.error ? readError(types.error) : null;
  return (
    <Field label="Event types" group required error={error}>
      {failure ? <ErrorNote message={failure.message} reason={failure.reason} requestId={failure.requestId} /> : null}
      {types.isPending ? <SkeletonTable rows={6} label="Loading event types" /> : null}
      {types.data ? <EventPicker types={types.data.items} value={value} onChange={onChange} /> : null}
    </Field>
  );
}

/** Makes a subscription; the signing secret takes the form's place when it is there. */
export function SubscriptionForm({ projectId, base }: { projectId: string; base: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const form = useForm<WebhookForm>({
    resolver: zodResolver(webhookForm),
    mode: 'onTouched',
    defaultValues: emptyForm,
  });
  const { formError, showError, clearError } = useFormErrors(form, { 'authentication.mode': 'mode' });
  const create = useMutation(
    trpc.webhooks.subscriptions.create.mutationOptions({
      onMutate: clearError,
      onError: showError,
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.webhooks.subscriptions.pathKey() }),
    }),
  );

  if (create.data) return <CreatedSubscription subscription={create.data} base={base} />;

  const submit = form.handleSubmit(({ mode, ...values }) => {
    create.mutate({ projectId, ...values, authentication: { mode } });
  });
  const { errors } = form.formState;
  return (
    <form noValidate onSubmit={submit}>
      <FormError error={formError} />
      <FormSection title="Receiver" description="The server of yours that the events go to.">
        <UrlField form={form} projectId={projectId} />
        <Field label="Description" error={errors.description?.message} hint="What it is for; shown in the list.">
          <Input {...form.register('description')} autoComplete="off" placeholder="Standings on the league's site" />
        </Field>
      </FormSection>
      <FormSection title="Events" description="What is sent. Look at an example to see what arrives.">
        <Controller
          control={form.control}
          name="events"
          render={({ field, fieldState }) => (
            <EventsField value={field.value} error={fieldState.error?.message} onChange={field.onChange} />
          )}
        />
      </FormSection>
      <FormSection title="Authentication" description="How your server knows that a request comes from here.">
        <Controller
          control={form.control}
          name="mode"
          render={({ field, fieldState }) => (
            <Field label="Mode" group required error={fieldState.error?.message}>
              <RadioCards value={field.value} onValueChange={field.onChange} options={modes} />
            </Field>
          )}
        />
      </FormSection>
      <FormSection
        title="Delivery"
        description="When a request fails, it is sent again. The usual numbers suit most receivers."
      >
        <DeliverySettings form={form} />
      </FormSection>
      <FormActions>
        <ButtonLink href={base}>Cancel</ButtonLink>
        <Button type="submit" variant="primary" loading={create.isPending}>
          Create webhook
        </Button>
      </FormActions>
    </form>
  );
}
