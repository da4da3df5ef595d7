'use client';

import { useSyncExternalStore } from 'react';

const narrow = '(width < 48rem)';

function subscribe(listener: () => void) {
  const query = window.matchMedia(narrow);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Whether the window is as narrow as a phone; the server takes it for a wide one. */
export function usePhone(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(narrow).matches,
    () => false,
  );
}
