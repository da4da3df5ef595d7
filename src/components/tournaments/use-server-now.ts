'use client';

import { useEffect, useState } from 'react';
import { serverNow } from '@/domain/time/server-clock';

const maxTimeoutMs = 3_600_000;

/**
 * The server's time in milliseconds, updated at each of `changes` (milliseconds) and when a newer `serverTime` arrives.
 * Starts at `serverTime` so that server and browser render the same.
 */
export function useServerNow(serverTime: string, changes: number[]): number {
  const [now, setNow] = useState(() => Date.parse(serverTime));
  const key = changes.join(' ');

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    function tick() {
      const at = Math.max(serverNow(), Date.parse(serverTime));
      setNow(at);
      const next = key
        .split(' ')
        .map(Number)
        .filter((change) => change > at)
        .sort((a, b) => a - b)[0];
      if (next !== undefined) timer = setTimeout(tick, Math.min(next - at + 50, maxTimeoutMs));
    }
    tick();
    return () => clearTimeout(timer);
  }, [serverTime, key]);

  return now;
}
