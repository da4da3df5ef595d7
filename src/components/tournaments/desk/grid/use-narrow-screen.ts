'use client';

import { useCallback, useSyncExternalStore } from 'react';

/** Whether the window is narrower than `rem` (48 for a phone). False on the server. */
export function useNarrowScreen(rem: number): boolean {
  const query = `(width < ${rem}rem)`;
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => false,
  );
}

const never = () => () => undefined;

/** Whether the page has hydrated; until then it has the layout of a wide window. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
