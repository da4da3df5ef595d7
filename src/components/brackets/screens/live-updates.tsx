'use client';

import { useLiveUpdates } from '@/components/tournaments/public/use-live-updates';

/** Keeps a page without a header live. */
export function LiveUpdates({ slug }: { slug: string }) {
  useLiveUpdates(slug);
  return null;
}
