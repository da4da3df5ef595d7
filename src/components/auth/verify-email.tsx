'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { PasswordInput } from '@/components/auth/password-input';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { useForm } from '@/components/ui/form/use-form';
import { verifyEmailForm } from '@/domain/accounts/forms';
import { pathWith } from '@/domain/navigation/return-path';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/**
 * Confirms an email address at the press of a button, because email scanners open links on their own. Asks for the
 * account's password unless the visitor is signed in to it: nothing else shows that they signed up.
 */
export function VerifyEmail({ token, signedIn }: { token: string; signedIn: boolean }) {
  const trpc = useTRPC();
  const [asksPassword, setAsksPassword] = useState(!signedIn);
  const form = useForm({
    resolver: asksPassword ? zodResolver(verifyEmailForm) : undefined,
    mode: 'onTouched',
    defaultValues: { password: '' },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const verify = useMutation(
    trpc.auth.verifyEmail.mutationOptions({
      onMutate: clearError,
      onError: (error) => {
        if (readError(error).reason === 'UNAUTHENTICATED') setAsksPassword(true);
        else showError(error);
      },
    }),
  );

  if (verify.isSuccess) {
    return (
      <div role="status" className="grid gap-4 rounded border bg-surface p-5">
        <p className="flex gap-3">
          <CircleCheck aria-hidden className="size-5 shrink-0 text-accent" />
          Your email address is confirmed.
        </p>
        <ButtonLink
          href={signedIn && !asksPassword ? '/me' : '/sign-in'}
          variant="primary"
          className="justify-self-start"
        >
          {signedIn && !asksPassword ? 'Continue' : 'Sign in'}
        </ButtonLink>
      </div>
    );
  }
  if (formError?.reason === 'INVALID_TOKEN') {
    return (
      <div className="grid gap-5">
        <FormError error={formError} />
        <ButtonLink href={signedIn ? '/settings' : '/sign-in?next=/settings'} className="justify-self-start">
          Request a new link
        </ButtonLink>
      </div>
    );
  }
  const submit = form.handleSubmit(({ password }) =>
    verify.mutate({ token, password: asksPassword ? password : undefined }),
  );
  return (
    <Form onSubmit={submit} className="grid gap-5">
      <FormError error={formError} />
      {asksPassword ? (
        <Field
          label="Password"
          required
          error={form.formState.errors.password?.message}
          hint="The one you chose when you signed up. If you forgot it, or somebody else signed up with your address, choose a new one: it signs everyone out."
          aside={
            <Link
              href={pathWith('/reset-password', { token, confirm: '1' })}
              className="text-accent underline underline-offset-4"
            >
              Choose a new one
            </Link>
          }
        >
          <PasswordInput {...form.register('password')} autoComplete="current-password" autoFocus />
        </Field>
      ) : null}
      <Button type="submit" variant="primary" size="lg" loading={verify.isPending}>
        Confirm email address
      </Button>
    </Form>
  );
}
