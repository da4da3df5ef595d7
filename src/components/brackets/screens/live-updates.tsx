'use client';

import { useLiveUpdates } from '@/components/tournaments/public/live-status';

/** Keeps a page without a header live. */
export function LiveUpdates({ slug }: { slug: string }) {
  useLiveUpdates(slug);
  return null;
}
