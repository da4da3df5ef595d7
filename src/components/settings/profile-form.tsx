'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { CircleCheck, CircleDashed } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { Controller } from 'react-hook-form';
import { ResendConfirmation } from '@/components/settings/resend-confirmation';
import { Badge } from '@/components/ui/data/badge';
import { Button } from '@/components/ui/form/button';
import { Combobox } from '@/components/ui/form/combobox';
import { Field } from '@/components/ui/form/field';
import { Form } from '@/components/ui/form/form';
import { FormError, useFormErrors } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { useForm } from '@/components/ui/form/use-form';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { profileForm } from '@/domain/accounts/forms';
import { useTRPC } from '@/trpc/client';

type Me = { name: string; email: string; timezone: string | null; emailVerified: boolean };

const followBrowser = 'follow-the-browser';

/** Name and time zone, and whether the email address is confirmed. */
export function ProfileForm({ me, zones }: { me: Me; zones: string[] }) {
  const trpc = useTRPC();
  const router = useRouter();
  const form = useForm({
    resolver: zodResolver(profileForm),
    mode: 'onTouched',
    defaultValues: { name: me.name, timezone: me.timezone },
  });
  const { formError, showError, clearError } = useFormErrors(form);
  const { errors, isDirty } = form.formState;
  const update = useMutation(
    trpc.me.update.mutationOptions({
      onMutate: clearError,
      onError: showError,
      onSuccess: ({ name, timezone }) => {
        form.reset({ name, timezone });
        router.refresh();
        toastSuccess('Profile saved');
      },
    }),
  );
  const options = [
    { value: followBrowser, label: 'Same as this device' },
    ...zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
  ];

  return (
    <Form onSubmit={form.handleSubmit((values) => update.mutate(values))} className="grid max-w-md gap-6">
      <FormError error={formError} />
      <Field label="Name" required error={errors.name?.message} hint="Shown in participant lists and brackets.">
        <Input {...form.register('name')} autoComplete="nickname" maxLength={80} dir="auto" />
      </Field>
      <div className="grid gap-2">
        <p className="font-medium">Email address</p>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <span className="wrap-anywhere">{me.email}</span>
          {me.emailVerified ? (
            <Badge tone="accent" icon={CircleCheck}>
              Confirmed
            </Badge>
          ) : (
            <Badge icon={CircleDashed}>Not confirmed</Badge>
          )}
        </p>
        {me.emailVerified ? null : (
          <div className="grid justify-items-start gap-2">
            <p className="text-muted">Open the link in the email that we sent you to confirm this address.</p>
            <ResendConfirmation email={me.email} />
          </div>
        )}
      </div>
      <Controller
        control={form.control}
        name="timezone"
        render={({ field, fieldState }) => (
          <Field
            label="Time zone"
            required
            error={fieldState.error?.message}
            hint="All times are shown in this time zone."
          >
            <Combobox
              value={field.value ?? followBrowser}
              onValueChange={(value) => field.onChange(value === followBrowser ? null : value)}
              options={options}
              searchPlaceholder="Search for a city"
            />
          </Field>
        )}
      />
      <Button
        type="submit"
        variant="primary"
        className="justify-self-start"
        loading={update.isPending}
        disabled={!isDirty}
      >
        Save
      </Button>
    </Form>
  );
}
