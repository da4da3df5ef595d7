'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTRPC } from '@/trpc/client';
import { useBatchedRefetch } from '@/trpc/reconnect';

/** Handles the notices of a tournament: a message refetches threads only, everything else is for `onChange`. */
export function useNotices(onChange: () => void): (notice: { type: string }) => void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const onMessage = useBatchedRefetch(
    () => queryClient.invalidateQueries({ queryKey: trpc.matches.listMessages.pathKey() }),
    { min: 50, max: 100 },
  );
  return useCallback(({ type }) => (type === 'thread.changed' ? onMessage() : onChange()), [onMessage, onChange]);
}
