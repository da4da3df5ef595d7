'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { PasswordInput } from '@/components/auth/password-input';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { useForm } from '@/components/ui/form/use-form';
import { minPasswordLength, resetPasswordForm } from '@/domain/accounts/forms';
import { useTRPC } from '@/trpc/client';

/** Sets a new password with the token from an emailed link. */
export function ResetPasswordForm({ token }: { token: string }) {
  const trpc = useTRPC();
  const form = useForm({
    resolver: zodResolver(resetPasswordForm),
    mode: 'onTouched',
    defaultValues: { password: '' },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const reset = useMutation(trpc.auth.passwords.reset.mutationOptions({ onMutate: clearError, onError: showError }));

  if (reset.isSuccess) {
    return (
      <div role="status" className="grid gap-4 rounded border bg-surface p-5">
        <p className="flex gap-3">
          <CircleCheck aria-hidden className="size-5 shrink-0 text-accent" />
          Your password has been changed and all sessions were signed out. Sign in with the new one.
        </p>
        <ButtonLink href="/sign-in" variant="primary" className="justify-self-start">
          Sign in
        </ButtonLink>
      </div>
    );
  }
  return (
    <Form onSubmit={form.handleSubmit(({ password }) => reset.mutate({ token, password }))} className="grid gap-5">
      <FormError error={formError} />
      {formError?.reason === 'INVALID_TOKEN' ? (
        <ButtonLink href="/forgot-password" className="justify-self-start">
          Request a new link
        </ButtonLink>
      ) : null}
      <Field
        label="New password"
        required
        error={form.formState.errors.password?.message}
        hint={`At least ${minPasswordLength} characters. A few words make a good one.`}
      >
        <PasswordInput {...form.register('password')} autoComplete="new-password" autoFocus />
      </Field>
      <Button type="submit" variant="primary" size="lg" loading={reset.isPending}>
        Change password
      </Button>
    </Form>
  );
}
