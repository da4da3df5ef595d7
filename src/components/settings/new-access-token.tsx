'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Controller } from 'react-hook-form';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { Select } from '@/components/ui/form/select';
import { useForm } from '@/components/ui/form/use-form';
import { Dialog } from '@/components/ui/overlay/dialog';
import { SecretReveal } from '@/components/ui/text/secret-reveal';
import { accessTokenForm } from '@/domain/accounts/forms';
import { useTRPC } from '@/trpc/client';

const never = 'never';
const lifetimes = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: never, label: 'Until I revoke it' },
];
const formId = 'new-access-token';

/** Creates an access token and shows it once. */
export function NewAccessToken({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const form = useForm({
    resolver: zodResolver(accessTokenForm),
    mode: 'onTouched',
    defaultValues: { name: '', expiresInDays: 90 as number | null },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const create = useMutation(
    trpc.me.accessTokens.create.mutationOptions({
      onMutate: clearError,
      onError: showError,
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.me.accessTokens.pathKey() }),
    }),
  );

  function change(next: boolean) {
    onOpenChange(next);
    if (next) return;
    form.reset();
    create.reset();
    clearError();
  }

  const submit = form.handleSubmit(({ name, expiresInDays }) => {
    const expiresAt = expiresInDays ? new Date(Date.now() + expiresInDays * 86_400_000).toISOString() : undefined;
    create.mutate({ name, expiresAt });
  });

  if (create.data) {
    return (
      <Dialog
        open={open}
        onOpenChange={change}
        title={`${create.data.name} created`}
        description="Copy the token now. It is not shown again."
        footer={
          <Button variant="primary" onClick={() => change(false)}>
            I have copied the token
          </Button>
        }
      >
        <SecretReveal
          value={create.data.token}
          label="access token"
          shown
          note="This token has all of your permissions, except creating more tokens."
        />
      </Dialog>
    );
  }
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title="New access token"
      footer={
        <>
          <Button onClick={() => change(false)}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={create.isPending}>
            Create token
          </Button>
        </>
      }
    >
      <Form id={formId} onSubmit={submit} className="grid gap-5">
        <FormError error={formError} />
        <Field label="Name" required error={form.formState.errors.name?.message} hint="What will use the token.">
          <Input {...form.register('name')} placeholder="Stream overlay" autoComplete="off" maxLength={80} />
        </Field>
        <Controller
          control={form.control}
          name="expiresInDays"
          render={({ field, fieldState }) => (
            <Field label="Valid for" required error={fieldState.error?.message}>
              <Select
                value={field.value === null ? never : String(field.value)}
                onValueChange={(value) => field.onChange(value === never ? null : Number(value))}
                options={lifetimes}
              />
            </Field>
          )}
        />
      </Form>
    </Dialog>
  );
}
