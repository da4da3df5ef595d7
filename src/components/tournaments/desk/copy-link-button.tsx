'use client';

import { Link2 } from 'lucide-react';
import { Button } from '@/components/ui/form/button';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { writeClipboard } from '@/components/ui/text/copy';

/** Copies the link to a tournament's public page. */
export function CopyLinkButton({ slug }: { slug: string }) {
  async function copy() {
    const address = new URL(`/tournaments/${slug}`, window.location.href).href;
    try {
      await writeClipboard(address);
      toastSuccess('Link copied', address);
    } catch (error) {
      toastError(error, 'Could not copy the link');
    }
  }
  return (
    <Button icon={<Link2 aria-hidden />} onClick={() => void copy()}>
      Copy link
    </Button>
  );
}
