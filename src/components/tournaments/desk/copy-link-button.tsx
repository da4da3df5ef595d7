'use client';

import { Link2 } from 'lucide-react';
import { Button } from '@/components/ui/form/button';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { writeClipboard } from '@/components/ui/text/copy';

/** Copies the address of a tournament's public page. */
export function CopyLinkButton({ slug }: { slug: string }) {
  async function share() {
    const address = new URL(`/tournaments/${slug}`, window.location.href).href;
    try {
      await writeClipboard(address);
      toastSuccess('The address is copied', address);
    } catch (error) {
      toastError(error, 'Not copied');
    }
  }
  return (
    <Button icon={<Link2 aria-hidden />} onClick={() => void share()}>
      Copy the address
    </Button>
  );
}
