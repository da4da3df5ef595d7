'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

const staleAfter = 30_000;

/** Refreshes a server-rendered page every minute while it is visible, and when the viewer returns to it. */
export function AutoRefresh() {
  const router = useRouter();
  useEffect(() => {
    let last = Date.now();
    function refresh(olderThan: number) {
      if (document.visibilityState !== 'visible' || Date.now() - last < olderThan) return;
      last = Date.now();
      router.refresh();
    }
    const onReturn = () => refresh(staleAfter);
    const timer = setInterval(() => refresh(0), 60_000);
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
