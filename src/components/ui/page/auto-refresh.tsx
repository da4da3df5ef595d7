'use client';

import { useRouter } from 'next/navigation';
import { useCallback, useEffect } from 'react';

const staleAfter = 30_000;
/** What one visitor's page waits for ends in everybody's in the same instant. */
const spreadMs = 5_000;
/** When this page was last refreshed, or shown. */
let refreshedAt = Date.now();

/** Refreshes the page, unless nobody sees it or it was refreshed less than so many milliseconds ago. */
function refreshOlder(olderThan: number, router: { refresh: () => void }): void {
  if (document.visibilityState !== 'visible' || Date.now() - refreshedAt < olderThan) return;
  refreshedAt = Date.now();
  router.refresh();
}

/** Refreshes a server-rendered page every minute while it is visible, and when the viewer returns to it. */
export function AutoRefresh() {
  const router = useRouter();
  useEffect(() => {
    refreshedAt = Date.now();
    const onReturn = () => refreshOlder(staleAfter, router);
    const timer = setInterval(() => refreshOlder(0, router), 60_000);
    document.addEventListener('visibilitychange', onReturn);
    window.addEventListener('online', onReturn);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onReturn);
      window.removeEventListener('online', onReturn);
    };
  }, [router]);
  return null;
}

/**
 * What refreshes a server-rendered page within seconds, but not one that was refreshed a moment ago: whoever sets the times on it could have
 * every visitor ask for it each second.
 */
export function useSparingRefresh(): () => void {
  const router = useRouter();
  return useCallback(() => void setTimeout(() => refreshOlder(staleAfter, router), Math.random() * spreadMs), [router]);
}
