'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { PasswordInput } from '@/components/auth/password-input';
import { navigateTo, signInWithPassword } from '@/components/auth/sign-in';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { useForm } from '@/components/ui/form/use-form';
import { minPasswordLength, resetPasswordForm, takeOverForm } from '@/domain/accounts/forms';
import { useTRPC } from '@/trpc/client';

/**
 * Sets a new password with the token from an emailed link.
 * @param asksName where the link confirms an address: somebody else may have chosen the name of the account
 */
export function ResetPasswordForm({ token, asksName }: { token: string; asksName: boolean }) {
  const trpc = useTRPC();
  const form = useForm({
    resolver: zodResolver(asksName ? takeOverForm : resetPasswordForm),
    mode: 'onTouched',
    defaultValues: { name: asksName ? '' : undefined, password: '' },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const reset = useMutation(trpc.auth.passwords.reset.mutationOptions({ onMutate: clearError, onError: showError }));
  const [isSigningIn, setIsSigningIn] = useState(false);

  /** Signs in by the link, which works where strangers have used up the attempts of the account. */
  async function continueSignedIn() {
    setIsSigningIn(true);
    const failure = await signInWithPassword({ token, password: form.getValues('password') });
    navigateTo(failure === null ? '/me' : '/sign-in');
  }

  if (reset.isSuccess) {
    return (
      <div role="status" className="grid gap-4 rounded border bg-surface p-5">
        <p className="flex gap-3">
          <CircleCheck aria-hidden className="size-5 shrink-0 text-accent" />
          Your password has been changed and all sessions were signed out. Sign in with the new one.
        </p>
        <Button variant="primary" className="justify-self-start" loading={isSigningIn} onClick={continueSignedIn}>
          Sign in
        </Button>
      </div>
    );
  }
  return (
    <Form
      onSubmit={form.handleSubmit(({ name, password }) => reset.mutate({ token, name, password }))}
      className="grid gap-5"
    >
      <FormError error={formError} />
      {formError?.reason === 'INVALID_TOKEN' ? (
        <ButtonLink href="/forgot-password" className="justify-self-start">
          Request a new link
        </ButtonLink>
      ) : null}
      {asksName ? (
        <Field
          label="Name"
          required
          error={form.formState.errors.name?.message}
          hint="Shown in participant lists and brackets, in place of the one entered at sign-up."
        >
          <Input {...form.register('name')} autoComplete="nickname" maxLength={80} dir="auto" autoFocus />
        </Field>
      ) : null}
      <Field
        label="New password"
        required
        error={form.formState.errors.password?.message}
        hint={`At least ${minPasswordLength} characters. A few words make a good one.`}
      >
        <PasswordInput {...form.register('password')} autoComplete="new-password" autoFocus={!asksName} />
      </Field>
      <Button type="submit" variant="primary" size="lg" loading={reset.isPending}>
        Change password
      </Button>
    </Form>
  );
}
