'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CheckInbox } from '@/components/auth/check-inbox';
import { PasswordInput } from '@/components/auth/password-input';
import { navigateTo, signInWithPassword } from '@/components/auth/sign-in';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { useForm } from '@/components/ui/form/use-form';
import { minPasswordLength, signUpForm } from '@/domain/accounts/forms';
import { useTRPC } from '@/trpc/client';

/**
 * Creates an account and signs in. `invited` fixes the address to the invited one; `tournament` is the tournament whose
 * page led here.
 */
export function SignUpForm({
  next,
  tournament,
  invited,
}: {
  next: string;
  tournament?: string;
  invited?: { email: string; token: string };
}) {
  const trpc = useTRPC();
  const [emailedAddress, setEmailedAddress] = useState<string | null>(null);
  const [signingIn, setSigningIn] = useState(false);
  const form = useForm({
    resolver: zodResolver(signUpForm),
    mode: 'onTouched',
    defaultValues: { name: '', email: invited?.email ?? '', password: '' },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const { errors } = form.formState;
  const register = useMutation(
    trpc.auth.register.mutationOptions({
      onMutate: clearError,
      onError: showError,
      onSuccess: async ({ email }, { password }) => {
        setSigningIn(true);
        const failure = await signInWithPassword({ email, password });
        if (failure === null) {
          navigateTo(next);
          return;
        }
        setSigningIn(false);
        setEmailedAddress(email);
      },
    }),
  );

  if (emailedAddress) return <CheckInbox email={emailedAddress} />;
  return (
    <Form
      onSubmit={form.handleSubmit((values) =>
        register.mutate({ ...values, tournamentId: tournament, invitationToken: invited?.token }),
      )}
      className="grid gap-5"
    >
      <FormError error={formError} />
      <Field label="Name" required error={errors.name?.message} hint="Shown in participant lists and brackets.">
        <Input {...form.register('name')} autoComplete="nickname" maxLength={80} dir="auto" autoFocus />
      </Field>
      <Field
        label="Email address"
        required
        error={errors.email?.message}
        hint={invited ? 'The invitation is for this address.' : undefined}
      >
        <Input
          {...form.register('email')}
          type="email"
          inputMode="email"
          autoComplete="username"
          readOnly={Boolean(invited)}
        />
      </Field>
      <Field
        label="Password"
        required
        error={errors.password?.message}
        hint={`At least ${minPasswordLength} characters. A few words make a good one.`}
      >
        <PasswordInput {...form.register('password')} autoComplete="new-password" />
      </Field>
      <Button type="submit" variant="primary" size="lg" loading={register.isPending || signingIn}>
        Create account
      </Button>
    </Form>
  );
}
