'use client';

import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Switch } from '@/components/ui/form/choices';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

/** Whether mail about registrations and teams comes; takes effect at once. */
export function EmailNotificationsSwitch({ wanted }: { wanted: boolean }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [on, setOn] = useState(wanted);
  const update = useMutation(
    trpc.me.update.mutationOptions({
      onError: (error) => {
        setOn(wanted);
        toastError(error);
      },
      onSuccess: ({ emailNotifications }) => {
        setOn(emailNotifications);
        router.refresh();
        toastSuccess(emailNotifications ? 'You get this mail' : 'You get none of this mail any more');
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
      hint="Approved, moved up from the waitlist, disqualified, replaced on a roster, invited to a team, tournament called off."
    />
  );
}
