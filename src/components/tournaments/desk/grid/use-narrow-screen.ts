'use client';

import { useCallback, useSyncExternalStore } from 'react';

/** Whether the window is narrower than so many rem: 48 for a phone. The server takes it for a wide one. */
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

/** Whether the page has come alive: before, it is laid out for a wide window. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
