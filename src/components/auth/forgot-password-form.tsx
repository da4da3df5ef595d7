'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { CheckInbox } from '@/components/auth/check-inbox';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { useForm } from '@/components/ui/form/use-form';
import { forgotPasswordForm } from '@/domain/accounts/forms';
import { useTRPC } from '@/trpc/client';

/** Requests an email with a link to reset the password. */
export function ForgotPasswordForm({ email }: { email?: string }) {
  const trpc = useTRPC();
  const form = useForm({
    resolver: zodResolver(forgotPasswordForm),
    mode: 'onTouched',
    defaultValues: { email: email ?? '' },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const request = useMutation(
    trpc.auth.passwords.requestReset.mutationOptions({ onMutate: clearError, onError: showError }),
  );

  if (request.data) {
    return (
      <CheckInbox email={request.data.email}>
        If there is an account for <strong className="font-medium text-ink">{request.data.email}</strong>, we sent it a
        link to reset the password. The link works once and expires in an hour.
      </CheckInbox>
    );
  }
  return (
    <Form onSubmit={form.handleSubmit((values) => request.mutate(values))} className="grid gap-5">
      <FormError error={formError} />
      <Field label="Email address" required error={form.formState.errors.email?.message}>
        <Input {...form.register('email')} type="email" inputMode="email" autoComplete="username" autoFocus />
      </Field>
      <Button type="submit" variant="primary" size="lg" loading={request.isPending}>
        Send reset link
      </Button>
    </Form>
  );
}
