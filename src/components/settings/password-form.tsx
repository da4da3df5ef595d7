'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { PasswordInput } from '@/components/auth/password-input';
import { navigateTo, signInWithPassword } from '@/components/auth/sign-in';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { useForm } from '@/components/ui/form/use-form';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { changePasswordForm, minPasswordLength } from '@/domain/accounts/forms';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** Changes the password. This browser stays signed in, all other sessions end. */
export function PasswordForm({ email }: { email: string }) {
  const trpc = useTRPC();
  const form = useForm({
    resolver: zodResolver(changePasswordForm),
    mode: 'onTouched',
    defaultValues: { currentPassword: '', newPassword: '' },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const { errors } = form.formState;
  const change = useMutation(
    trpc.auth.passwords.change.mutationOptions({
      onMutate: clearError,
      onError: (error) => {
        if (readError(error).reason !== 'INVALID_CREDENTIALS') return showError(error);
        form.setError('currentPassword', { message: error.message }, { shouldFocus: true });
      },
      onSuccess: async (_, { newPassword }) => {
        if ((await signInWithPassword({ email, password: newPassword })) !== null) return navigateTo('/sign-in');
        form.reset();
        toastSuccess('Password changed', 'All other sessions were signed out.');
      },
    }),
  );
  return (
    <Form onSubmit={form.handleSubmit((values) => change.mutate(values))} className="grid max-w-md gap-5">
      <FormError error={formError} />
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <Field label="Current password" required error={errors.currentPassword?.message}>
        <PasswordInput {...form.register('currentPassword')} autoComplete="current-password" />
      </Field>
      <Field
        label="New password"
        required
        error={errors.newPassword?.message}
        hint={`At least ${minPasswordLength} characters. A few words make a good one.`}
      >
        <PasswordInput {...form.register('newPassword')} autoComplete="new-password" />
      </Field>
      <Button type="submit" variant="primary" className="justify-self-start" loading={change.isPending}>
        Change password
      </Button>
    </Form>
  );
}
