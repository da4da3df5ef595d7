'use client';

import { useSearchParams } from 'next/navigation';
import { useCallback } from 'react';

const parameter = 'follow';

/** The followed participant, kept in the address (`?follow=`), so that it can be shared and survives every update. */
export function useFollow(): [participantId: string | null, follow: (participantId: string | null) => void] {
  const participantId = useSearchParams().get(parameter);
  const follow = useCallback((next: string | null) => {
    const url = new URL(window.location.href);
    if (next) url.searchParams.set(parameter, next);
    else url.searchParams.delete(parameter);
    window.history.replaceState(null, '', url);
  }, []);
  return [participantId, follow];
}
