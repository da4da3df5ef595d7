'use client';

import { useOnDemand } from '@/components/ui/overlay/use-on-demand';

const load = () =>
  import('@/components/tournaments/registration/registration-dialog').then(
    ({ RegistrationDialog }) => RegistrationDialog,
  );

/** The form to register and to edit a registration, loaded when somebody is about to open it. */
export function useRegistrationDialog() {
  return useOnDemand(load);
}
