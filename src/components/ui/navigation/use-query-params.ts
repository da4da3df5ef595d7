'use client';

import { useSearchParams } from 'next/navigation';
import { useCallback } from 'react';

/** The page's query parameters, and a function that changes some of them without a navigation; null removes one. */
export function useQueryParams(): [URLSearchParams, (changes: Record<string, string | null>) => void] {
  const params = useSearchParams();
  const set = useCallback((changes: Record<string, string | null>) => {
    const next = new URLSearchParams(window.location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === '') next.delete(name);
      else next.set(name, value);
    }
    const query = next.toString();
    window.history.replaceState(null, '', query ? `?${query}` : window.location.pathname);
  }, []);
  return [params, set];
}
