'use client';

import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Switch } from '@/components/ui/form/choices';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

/** Turns emails about registrations and teams on or off, effective immediately. */
export function EmailNotificationsSwitch({ initiallyOn }: { initiallyOn: boolean }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [on, setOn] = useState(initiallyOn);
  const update = useMutation(
    trpc.me.update.mutationOptions({
      onError: (error) => {
        setOn(initiallyOn);
        toastError(error);
      },
      onSuccess: ({ emailNotifications }) => {
        setOn(emailNotifications);
        router.refresh();
        toastSuccess(emailNotifications ? 'Email notifications turned on' : 'Email notifications turned off');
      },
    }),
  );
  return (
    <Switch
      checked={on}
      disabled={update.isPending}
      onCheckedChange={(emailNotifications) => {
        setOn(emailNotifications);
        update.mutate({ emailNotifications });
      }}
      label="Registrations and teams"
      hint="When you are approved, promoted from the waitlist, disqualified, replaced on a roster or invited to a team, and when a tournament is cancelled."
    />
  );
}
