'use client';

import { useCallback, useLayoutEffect, useRef } from 'react';

/** A function with a stable identity that calls the latest `run`, so that memoized rows do not rerender. */
export function useStableCallback<Args extends unknown[]>(run: (...args: Args) => void): (...args: Args) => void {
  const latest = useRef(run);
  useLayoutEffect(() => {
    latest.current = run;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}
