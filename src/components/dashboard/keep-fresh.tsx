'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** Renders the page anew on the server every `seconds` while someone looks at it, and when they come back to it. */
export function KeepFresh({ seconds }: { seconds: number }) {
  const router = useRouter();
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === 'visible') router.refresh();
    };
    const timer = setInterval(refresh, seconds * 1000);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
    };
  }, [router, seconds]);
  return null;
}
