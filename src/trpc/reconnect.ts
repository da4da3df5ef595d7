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
/** How often a page asks whose network has all the streams that it may have, and how often it tries to get one. */
const askEveryMs = 15_000;
const tryEveryMs = 120_000;

/**
 * Restarts a subscription that failed, for example because a proxy answered instead of the server. Waits longer each time,
 * up to 30 seconds, and not at all once the network is back. Does not retry after a 4xx error. Where the viewer's network
 * has no stream left, it calls `refetch` every 15 seconds instead.
 * @returns whether the page stays current; null until the first connection
 */
export function useReconnect({ status, error, reset }: Subscription, refetch: () => unknown): boolean | null {
  const failures = useRef(0);
  const latest = useRef(reset);
  const ask = useRef(refetch);
  useEffect(() => {
    latest.current = reset;
    ask.current = refetch;
  });

  const { status: code, reason } = error ? readError(error) : { status: 0, reason: '' };
  const refused = reason === 'QUOTA_EXCEEDED';
  useEffect(() => {
    if (!refused) return;
    const asking = setInterval(() => ask.current(), askEveryMs);
    // Spread, so that those who were refused together do not come back together.
    const trying = setInterval(() => latest.current(), tryEveryMs * (0.75 + Math.random() / 2));
    return () => {
      clearInterval(asking);
      clearInterval(trying);
    };
  }, [refused]);
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

  if (status === 'pending' || refused) return true;
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
