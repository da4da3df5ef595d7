'use client';

import { useCallback, useEffect, useRef } from 'react';
import { readError } from '@/trpc/errors';

type Subscription = {
  status: 'idle' | 'connecting' | 'pending' | 'error';
  error: unknown;
  reset: () => void;
};

const firstWait = 1_000;
const longestWait = 30_000;

/**
 * Begins a subscription again that ended in a failure: a browser gives up where a proxy answers in place of the server.
 * Waits longer each time, up to 30 seconds, and not at all once the network is back. A refusal is final.
 * @returns whether notices arrive; null until that is first known
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
    const wait = Math.min(longestWait, firstWait * 2 ** failures.current) * (0.75 + Math.random() / 2);
    failures.current += 1;
    const again = () => latest.current();
    const timer = setTimeout(again, wait);
    window.addEventListener('online', again, { once: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', again);
    };
  }, [status, failed]);

  if (status === 'pending') return true;
  return error ? false : null;
}

/**
 * Gathers notices: the function it answers runs `readAgain` a little later, once for all calls until then. A rush of
 * changes becomes one reading at a time, which the next waits for and never cuts short, and a chance in the wait keeps a
 * thousand viewers from asking in the same moment.
 */
export function useGathered(readAgain: () => unknown, waitMs: { least: number; most: number }): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const called = useRef(false);
  const latest = useRef(readAgain);
  useEffect(() => {
    latest.current = readAgain;
  });
  useEffect(() => () => clearTimeout(timer.current), []);

  const { least, most } = waitMs;
  return useCallback(() => {
    async function read() {
      called.current = false;
      await latest.current();
      timer.current = undefined;
      if (called.current) plan();
    }
    function plan() {
      timer.current ??= setTimeout(() => void read(), least + Math.random() * (most - least));
    }
    called.current = true;
    plan();
  }, [least, most]);
}
