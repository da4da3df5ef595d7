'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useSubscription } from '@trpc/tanstack-react-query';
import { useEffect, useRef } from 'react';
import { useTRPC } from '@/trpc/client';
import { useReconnect } from '@/trpc/reconnect';

/** Reads the viewer's registrations again when something in their tournaments changes; a rush becomes one reading. */
export function useLiveEntries(): void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function readAgain() {
    timer.current = undefined;
    void queryClient.invalidateQueries({ queryKey: trpc.participants.myRegistrations.pathKey() });
  }

  const subscription = useSubscription(
    trpc.participants.live.subscriptionOptions(undefined, {
      onData: () => {
        timer.current ??= setTimeout(readAgain, 300 + Math.random() * 700);
      },
    }),
  );
  useReconnect(subscription);
}
