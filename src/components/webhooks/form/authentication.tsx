'use client';

import { Controller, useFormContext } from 'react-hook-form';
import { RadioCards, Switch } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { FieldRow } from '@/components/ui/form/form-section';
import { Input } from '@/components/ui/form/input';
import { canKeepCredential, type FormValues, keepsStoredCredential } from '@/components/webhooks/form/values';
import { authModeLabels } from '@/components/webhooks/labels';
import type { Subscription } from '@/components/webhooks/types';
import { type AuthMode, authModes } from '@/domain/webhooks/settings';

const modeHints: Record<AuthMode, string> = {
  hmac_signature:
    'Recommended. Signs each request with a secret, so that your server can tell that it is genuine and unchanged.',
  bearer_token: 'Sends Authorization: Bearer with a token that your server or gateway expects.',
  basic_auth: 'Sends Authorization: Basic, which most web servers can check on their own.',
  custom_header: 'Sends a header of your choice, such as X-Api-Key.',
  none: 'Anyone who knows the URL can send fake events to it.',
};

const modeOptions = authModes.map((value) => ({ value, label: authModeLabels[value], hint: modeHints[value] }));

const keepStoredHint = 'Leave empty to keep the stored one.';

function SecretField({
  name,
  label,
  saved,
}: {
  name: 'token' | 'password' | 'headerValue';
  label: string;
  saved: boolean;
}) {
  const form = useFormContext<FormValues>();
  return (
    <Field
      label={label}
      required={!saved}
      error={form.formState.errors[name]?.message}
      hint={saved ? keepStoredHint : 'Stored encrypted and not shown again.'}
    >
      <Input
        {...form.register(name)}
        type="password"
        autoComplete="new-password"
        spellCheck={false}
        placeholder={saved ? '••••••••••••' : undefined}
      />
    </Field>
  );
}

/** The credential fields of the selected mode. */
function Credentials({ saved }: { saved: Subscription | null }) {
  const form = useFormContext<FormValues>();
  const { errors } = form.formState;
  const [mode, url] = form.watch(['mode', 'url']);
  const stored = canKeepCredential({ mode, url }, saved);
  if (mode === 'bearer_token') return <SecretField name="token" label="Token" saved={stored} />;
  if (mode === 'basic_auth') {
    return (
      <FieldRow>
        <Field label="Username" required error={errors.username?.message}>
          <Input {...form.register('username')} autoComplete="off" spellCheck={false} />
        </Field>
        <SecretField name="password" label="Password" saved={stored} />
      </FieldRow>
    );
  }
  if (mode === 'custom_header') {
    return (
      <FieldRow>
        <Field label="Header name" required error={errors.headerName?.message}>
          <Input {...form.register('headerName')} autoComplete="off" spellCheck={false} placeholder="X-Api-Key" />
        </Field>
        <SecretField name="headerValue" label="Value" saved={stored} />
      </FieldRow>
    );
  }
  return null;
}

/** How the endpoint can tell that requests come from Laurel: one of five modes, each of which can also be signed. */
export function AuthenticationFields({ saved }: { saved: Subscription | null }) {
  const form = useFormContext<FormValues>();
  const mode = form.watch('mode');
  const replaced = saved !== null && !keepsStoredCredential(form.watch(), saved);
  return (
    <>
      <Controller
        control={form.control}
        name="mode"
        render={({ field, fieldState }) => (
          <Field label="Method" group required error={fieldState.error?.message}>
            <RadioCards value={field.value} onValueChange={field.onChange} options={modeOptions} />
          </Field>
        )}
      />
      <Credentials saved={saved} />
      {replaced ? (
        <p className="text-muted">All requests, including retries, use the new credentials as soon as you save.</p>
      ) : null}
      {mode === 'hmac_signature' ? null : (
        <Controller
          control={form.control}
          name="signPayload"
          render={({ field }) => (
            <Switch
              checked={field.value}
              onCheckedChange={field.onChange}
              label="Also sign each request"
              hint="Adds X-Webhook-Signature and the Standard Webhooks headers."
            />
          )}
        />
      )}
    </>
  );
}
