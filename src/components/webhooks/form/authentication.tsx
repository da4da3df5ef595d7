'use client';

import { Controller, useFormContext } from 'react-hook-form';
import { RadioCards, Switch } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { FieldRow } from '@/components/ui/form/form-section';
import { Input } from '@/components/ui/form/input';
import { type FormValues, keepsStoredCredential } from '@/components/webhooks/form/values';
import type { Subscription } from '@/components/webhooks/types';

const modes = [
  {
    value: 'hmac_signature',
    label: 'Signature (HMAC)',
    hint: 'Each request is signed with a secret. Your server can tell that it is genuine and unchanged. Recommended.',
  },
  {
    value: 'bearer_token',
    label: 'Bearer token',
    hint: 'Sends Authorization: Bearer with a token that your server or gateway knows.',
  },
  {
    value: 'basic_auth',
    label: 'User name and password',
    hint: 'Sends Authorization: Basic, which most web servers can check by themselves.',
  },
  {
    value: 'custom_header',
    label: 'Header of your own',
    hint: 'Sends one header with a value that you choose, such as X-Api-Key.',
  },
  {
    value: 'none',
    label: 'No authentication',
    hint: 'Anyone who knows the URL could send it made-up events.',
  },
];

const keepStoredHint = 'Leave it empty to keep the one that is stored.';

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
      hint={saved ? keepStoredHint : 'Stored encrypted, and not shown again.'}
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

/** What a mode needs, below the choice of it. */
function Credentials({ saved }: { saved: Subscription | null }) {
  const form = useFormContext<FormValues>();
  const { errors } = form.formState;
  const mode = form.watch('mode');
  const stored = saved !== null && saved.authentication.mode === mode;
  if (mode === 'bearer_token') return <SecretField name="token" label="Token" saved={stored} />;
  if (mode === 'basic_auth') {
    return (
      <FieldRow>
        <Field label="User name" required error={errors.username?.message}>
          <Input {...form.register('username')} autoComplete="off" spellCheck={false} />
        </Field>
        <SecretField name="password" label="Password" saved={stored} />
      </FieldRow>
    );
  }
  if (mode === 'custom_header') {
    return (
      <FieldRow>
        <Field label="Header" required error={errors.headerName?.message}>
          <Input {...form.register('headerName')} autoComplete="off" spellCheck={false} placeholder="X-Api-Key" />
        </Field>
        <SecretField name="headerValue" label="Value" saved={stored} />
      </FieldRow>
    );
  }
  return null;
}

/** How the receiver knows the sender: one of five modes, and a signature beside any of them. */
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
          <Field label="Mode" group required error={fieldState.error?.message}>
            <RadioCards value={field.value} onValueChange={field.onChange} options={modes} />
          </Field>
        )}
      />
      <Credentials saved={saved} />
      {replaced ? (
        <p className="text-muted">Requests carry the new credentials as soon as you save, retries included.</p>
      ) : null}
      {mode === 'hmac_signature' ? null : (
        <Controller
          control={form.control}
          name="signPayload"
          render={({ field }) => (
            <Switch
              checked={field.value}
              onCheckedChange={field.onChange}
              label="Sign each request as well"
              hint="Adds X-Webhook-Signature and the Standard Webhooks headers beside the mode above."
            />
          )}
        />
      )}
    </>
  );
}
