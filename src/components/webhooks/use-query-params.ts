'use client';

import { useSearchParams } from 'next/navigation';
import { useCallback } from 'react';

/** Parameters of the address that only this page reads, and a way to change some of them without loading it again. */
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
