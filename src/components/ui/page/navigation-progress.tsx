'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';
import { transitionStart } from '@/domain/navigation/transition';

/** A navigation that takes longer ended where it began, such as by a redirect. */
const longestMs = 15_000;

/** A bar at the top edge from the tap on a link until the next page is there, so that every tap has an answer at once. */
export function NavigationProgress() {
  const address = `${usePathname()}?${useSearchParams()}`;
  const [isPending, setPending] = useState(false);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function start(event: Event) {
      const next = new URL((event as CustomEvent<string>).detail, window.location.href);
      if (next.pathname === window.location.pathname && next.search === window.location.search) return;
      clearTimeout(timer);
      timer = setTimeout(() => setPending(false), longestMs);
      // The router calls this inside its transition, where React would show the change only with the next page.
      queueMicrotask(() => setPending(true));
    }
    window.addEventListener(transitionStart, start);
    return () => {
      clearTimeout(timer);
      window.removeEventListener(transitionStart, start);
    };
  }, []);

  const [shown, setShown] = useState(address);
  if (shown !== address) {
    setShown(address);
    setPending(false);
  }

  if (!isPending) return null;
  return (
    <div role="progressbar" aria-label="Loading the page" className="pointer-events-none fixed inset-x-0 top-0 z-60">
      <div className="h-0.5 origin-left animate-progress bg-accent rtl:origin-right" />
    </div>
  );
}
