'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Controller, FormProvider } from 'react-hook-form';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { FormActions, FormSection } from '@/components/ui/form/form-section';
import { Input } from '@/components/ui/form/input';
import { useForm } from '@/components/ui/form/use-form';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { ErrorNote } from '@/components/ui/page/error-state';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { AuthenticationFields } from '@/components/webhooks/form/authentication';
import { type Conflict, ConflictDialog } from '@/components/webhooks/form/conflict-dialog';
import { CircuitBreakerSection, RateLimitSection, RetrySection } from '@/components/webhooks/form/delivery-policy';
import { EventPicker, type EventType } from '@/components/webhooks/form/event-picker';
import { FiltersSection } from '@/components/webhooks/form/filters';
import { HealthCheckSection } from '@/components/webhooks/form/health-check';
import { IpAllowlistSection } from '@/components/webhooks/form/ip-allowlist';
import { UrlField } from '@/components/webhooks/form/url-field';
import {
  authenticationChange,
  changedFields,
  defaultValues,
  type FormValues,
  serverFieldNames,
  toAuthentication,
  toFormValues,
  toSettings,
  webhookResolver,
} from '@/components/webhooks/form/values';
import { CreatedSubscription } from '@/components/webhooks/subscriptions/created-subscription';
import type { Subscription } from '@/components/webhooks/types';
import { counted } from '@/domain/text/counted';
import { useTRPC, useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';

function EventsField({
  types,
  value,
  error,
  onChange,
}: {
  types: EventType[] | undefined;
  value: string[];
  error?: string;
  onChange: (value: string[]) => void;
}) {
  return (
    <Field label="Event types" group required error={error}>
      {types ? (
        <EventPicker types={types} value={value} onChange={onChange} />
      ) : (
        <SkeletonTable rows={6} label="Loading event types" />
      )}
    </Field>
  );
}

/** The settings and credentials that differ from the saved subscription, as API input. */
function findChanges(values: FormValues, saved: Subscription) {
  const settings = toSettings(values);
  const fields = changedFields(toSettings(toFormValues(saved)), settings);
  const changed = Object.fromEntries(fields.map((field) => [field, settings[field]]));
  const authentication = authenticationChange(values, saved);
  return { fields, changed, authentication };
}

/** Creates a subscription, or edits the given one. When a new signing secret is issued, it replaces the form. */
export function SubscriptionForm({
  projectId,
  base,
  subscription,
}: {
  projectId: string;
  base: string;
  subscription?: Subscription;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [saved, setSaved] = useState(subscription ?? null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const form = useForm<FormValues>({
    resolver: webhookResolver(saved),
    mode: 'onTouched',
    defaultValues: saved ? toFormValues(saved) : defaultValues,
  });
  const { formError, showError, clearError } = useFormErrors(form, serverFieldNames);
  const create = useMutation(trpc.webhooks.subscriptions.create.mutationOptions());
  const update = useMutation(trpc.webhooks.subscriptions.update.mutationOptions());
  const types = useQuery(
    trpc.webhooks.eventTypes.queryOptions({ limit: 100 }, { staleTime: Number.POSITIVE_INFINITY }),
  );
  const failure = types.error ? readError(types.error) : null;

  const withNewSecret = create.data ?? (update.data?.signingSecret ? update.data : null);
  if (withNewSecret) return <CreatedSubscription subscription={withNewSecret} base={base} />;

  async function finish(message: string, showsSecret: boolean) {
    await queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
    if (showsSecret) return;
    toastSuccess(message);
    router.push(saved ? `${base}/${saved.id}` : base);
  }

  async function save(values: FormValues, version?: number) {
    clearError();
    const { allowLockout } = values;
    try {
      if (!saved) {
        const authentication = toAuthentication(values);
        await create.mutateAsync({ projectId, ...toSettings(values), authentication, allowLockout });
        return await finish('Webhook created', true);
      }
      const { fields, changed, authentication } = findChanges(values, saved);
      if (fields.length === 0 && !authentication) return await finish('No changes to save', false);
      const updated = await update.mutateAsync({
        id: saved.id,
        version: version ?? saved.version,
        ...changed,
        authentication,
        allowLockout,
      });
      setConflict(null);
      await finish('Webhook saved', updated.signingSecret !== null);
    } catch (error) {
      if (saved && readError(error).reason === 'VERSION_MISMATCH') {
        const latest = await client.webhooks.subscriptions.read.query({ id: saved.id }).catch(() => null);
        if (latest) {
          const before = toSettings(toFormValues(saved));
          const mine = changedFields(before, toSettings(values));
          return setConflict({
            theirs: changedFields(before, toSettings(toFormValues(latest))),
            mine,
            version: latest.version,
          });
        }
      }
      setConflict(null);
      showError(error);
    }
  }

  async function takeTheirs() {
    if (!saved) return;
    const latest = await client.webhooks.subscriptions.read.query({ id: saved.id });
    setSaved(latest);
    form.reset(toFormValues(latest));
    setConflict(null);
    toastSuccess('Loaded the latest version');
  }

  const { errors, submitCount } = form.formState;
  const errorCount = Object.keys(errors).length;
  return (
    <FormProvider {...form}>
      <Form onSubmit={form.handleSubmit((values) => save(values))}>
        {formError ? (
          <div className="mb-6">
            <FormError error={formError} />
          </div>
        ) : null}
        <FormSection title="Endpoint" description="Where events are sent.">
          <UrlField projectId={projectId} />
          <Field label="Description" error={errors.description?.message} hint="What it is for. Shown in the list.">
            <Input {...form.register('description')} autoComplete="off" placeholder="Standings on our website" />
          </Field>
        </FormSection>
        <FormSection title="Events" description="What is sent. Open an example to see the request body.">
          {failure ? (
            <ErrorNote message={failure.message} reason={failure.reason} requestId={failure.requestId} />
          ) : null}
          <Controller
            control={form.control}
            name="events"
            render={({ field, fieldState }) => (
              <EventsField
                types={types.data?.items}
                value={field.value}
                error={fieldState.error?.message}
                onChange={field.onChange}
              />
            )}
          />
        </FormSection>
        <FormSection title="Authentication" description="How your server can tell that a request comes from Laurel.">
          <AuthenticationFields saved={saved} />
        </FormSection>
        <FiltersSection projectId={projectId} types={types.data?.items ?? []} />
        <RetrySection />
        <CircuitBreakerSection />
        <RateLimitSection />
        <HealthCheckSection />
        <IpAllowlistSection />
        <FormActions
          note={
            submitCount > 0 && errorCount > 0 ? (
              <span role="status" className="text-danger">
                {counted(errorCount, 'setting needs', 'settings need')} your attention.
              </span>
            ) : null
          }
        >
          <ButtonLink href={saved ? `${base}/${saved.id}` : base}>Cancel</ButtonLink>
          <Button type="submit" variant="primary" loading={create.isPending || update.isPending}>
            {saved ? 'Save changes' : 'Create webhook'}
          </Button>
        </FormActions>
      </Form>
      <ConflictDialog
        conflict={conflict}
        saving={update.isPending}
        onClose={() => setConflict(null)}
        onKeepMine={({ version }) => void save(form.getValues(), version)}
        onTakeTheirs={() => void takeTheirs()}
      />
    </FormProvider>
  );
}
