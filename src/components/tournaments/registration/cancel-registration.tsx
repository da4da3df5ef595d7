'use client';

import { useState } from 'react';
import type { Registration, Tournament } from '@/components/tournaments/use-tournament';
import { Button } from '@/components/ui/form/button';
import { dismissToasts } from '@/components/ui/overlay/toaster';
import { useOnDemand } from '@/components/ui/overlay/use-on-demand';

const load = () =>
  import('@/components/tournaments/registration/cancel-dialog').then(({ CancelDialog }) => CancelDialog);

/** Cancels the viewer's registration, after asking. Dismisses toasts, which would cover the dialog on a phone. */
export function CancelRegistration({
  tournament,
  registration,
}: {
  tournament: Tournament;
  registration: Registration;
}) {
  const [isAsking, setAsking] = useState(false);
  const { Loaded, isLoading, request, prepare } = useOnDemand(load);
  return (
    <>
      <Button
        variant="ghost"
        loading={isLoading}
        aria-haspopup="dialog"
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={() => {
          dismissToasts();
          setAsking(true);
          request();
        }}
      >
        Cancel registration
      </Button>
      {isAsking && Loaded ? (
        <Loaded tournament={tournament} registration={registration} onClose={() => setAsking(false)} />
      ) : null}
    </>
  );
}
