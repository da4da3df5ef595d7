'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import Link from 'next/link';
import { useState } from 'react';
import { PasswordInput } from '@/components/auth/password-input';
import { navigateTo, signInError, signInWithPassword } from '@/components/auth/sign-in';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { Input } from '@/components/ui/form/input';
import { useForm } from '@/components/ui/form/use-form';
import { ErrorNote } from '@/components/ui/page/error-state';
import { signInForm } from '@/domain/accounts/forms';
import { pathWith } from '@/domain/navigation/return-path';

/** Signs in with email and password. `error` is the reason code of an earlier attempt. */
export function SignInForm({ next, email, error }: { next: string; email?: string; error?: string }) {
  const [reason, setReason] = useState(error);
  const form = useForm({
    resolver: zodResolver(signInForm),
    mode: 'onTouched',
    defaultValues: { email: email ?? '', password: '' },
  });
  const { errors, isSubmitting, isSubmitSuccessful } = form.formState;

  const submit = form.handleSubmit(async (values) => {
    setReason(undefined);
    const failure = await signInWithPassword(values);
    if (failure === null) {
      navigateTo(next);
      return;
    }
    setReason(failure);
    form.setError('root', { type: failure });
    form.resetField('password');
    form.setFocus('password');
  });

  return (
    <Form onSubmit={submit} className="grid gap-5">
      {reason ? <ErrorNote {...signInError(reason)} /> : null}
      <Field label="Email address" required error={errors.email?.message}>
        <Input {...form.register('email')} type="email" inputMode="email" autoComplete="username" autoFocus={!email} />
      </Field>
      <Field
        label="Password"
        required
        error={errors.password?.message}
        aside={
          <Link
            href={pathWith('/forgot-password', { email: form.watch('email') })}
            className="text-accent underline underline-offset-4"
          >
            Forgot password?
          </Link>
        }
      >
        <PasswordInput {...form.register('password')} autoComplete="current-password" autoFocus={Boolean(email)} />
      </Field>
      <Button type="submit" variant="primary" size="lg" loading={isSubmitting || isSubmitSuccessful}>
        Sign in
      </Button>
    </Form>
  );
}
