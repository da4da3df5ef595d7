'use client';

import { useCallback, useLayoutEffect, useRef } from 'react';

/** The same function over all renderings, which calls what it was last given: rows that get it need not render anew. */
export function useStableCallback<Args extends unknown[]>(run: (...args: Args) => void): (...args: Args) => void {
  const latest = useRef(run);
  useLayoutEffect(() => {
    latest.current = run;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}
