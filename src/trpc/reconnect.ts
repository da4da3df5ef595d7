'use client';

import { useCallback, useEffect, useRef } from 'react';
import { readError } from '@/trpc/errors';

type Subscription = {
  status: 'idle' | 'connecting' | 'pending' | 'error';
  error: unknown;
  reset: () => void;
};

const firstWaitMs = 1_000;
const maxWaitMs = 30_000;

/**
 * Restarts a subscription that failed, for example because a proxy answered instead of the server. Waits longer each time,
 * up to 30 seconds, and not at all once the network is back. Does not retry after a 4xx error.
 * @returns whether notices arrive; null until the first connection
 */
export function useReconnect({ status, error, reset }: Subscription): boolean | null {
  const failures = useRef(0);
  const latest = useRef(reset);
  useEffect(() => {
    latest.current = reset;
  });

  const { status: code } = error ? readError(error) : { status: 0 };
  const failed = status === 'error' && (code < 400 || code >= 500);
  useEffect(() => {
    if (status === 'pending') failures.current = 0;
    if (!failed) return;
    const wait = Math.min(maxWaitMs, firstWaitMs * 2 ** failures.current) * (0.75 + Math.random() / 2);
    failures.current += 1;
    const retry = () => latest.current();
    const timer = setTimeout(retry, wait);
    window.addEventListener('online', retry, { once: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', retry);
    };
  }, [status, failed]);

  if (status === 'pending') return true;
  return error ? false : null;
}

/**
 * Batches calls: the returned function runs `refetch` a little later, once for all calls until then, and never twice at the
 * same time. The random wait keeps a thousand viewers from refetching at the same moment.
 */
export function useBatchedRefetch(refetch: () => unknown, waitMs: { min: number; max: number }): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const called = useRef(false);
  const latest = useRef(refetch);
  useEffect(() => {
    latest.current = refetch;
  });
  useEffect(() => () => clearTimeout(timer.current), []);

  const { min, max } = waitMs;
  return useCallback(() => {
    async function run() {
      called.current = false;
      await latest.current();
      timer.current = undefined;
      if (called.current) schedule();
    }
    function schedule() {
      timer.current ??= setTimeout(() => void run(), min + Math.random() * (max - min));
    }
    called.current = true;
    schedule();
  }, [min, max]);
}
