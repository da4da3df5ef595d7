'use client';

import { Radio, WifiOff } from 'lucide-react';
import { useLiveUpdates } from '@/components/tournaments/public/use-live-updates';

/** Keeps the page's data live and shows whether it is connected. */
export function LiveStatus({ slug }: { slug: string }) {
  const live = useLiveUpdates(slug);
  if (live === null) return <span aria-hidden className="inline-block h-5 w-24" />;
  return (
    <span
      title={live ? 'This page updates automatically.' : 'Reconnecting. What you see may be out of date.'}
      className="inline-flex w-24 items-center gap-1.5 text-xs"
    >
      {live ? (
        <Radio aria-hidden className="size-3.5 text-live" />
      ) : (
        <WifiOff aria-hidden className="size-3.5 text-danger" />
      )}
      <span role="status">{live ? 'Live updates' : 'Reconnecting'}</span>
    </span>
  );
}
