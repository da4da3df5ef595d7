'use client';

import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { DeskRow } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { Dialog, DialogClose } from '@/components/ui/overlay/dialog';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { Copy, writeClipboard } from '@/components/ui/text/copy';
import { useTRPC } from '@/trpc/client';

/**
 * Creates a link with which a guest's own account takes over, and copies it. `fallback` shows the link where the
 * browser does not let it be copied.
 */
export function useClaimLink(tournamentId: string): { copyClaimLink: (row: DeskRow) => void; fallback: ReactNode } {
  const trpc = useTRPC();
  const [shown, setShown] = useState<{ name: string; url: string } | null>(null);
  const create = useMutation(trpc.participants.claims.createLink.mutationOptions());

  async function copyClaimLink({ id: participantId, name }: DeskRow) {
    try {
      const { url } = await create.mutateAsync({ tournamentId, participantId });
      try {
        await writeClipboard(url);
        toastSuccess(`Claim link for ${name} copied`, 'It works once, and earlier links no longer work.');
      } catch {
        setShown({ name, url });
      }
    } catch (error) {
      toastError(error, 'The claim link could not be created');
    }
  }

  const fallback = shown ? (
    <Dialog
      open
      onOpenChange={(open) => !open && setShown(null)}
      title={`Claim link for ${shown.name}`}
      description="It works once, and earlier links no longer work. Send it to the player."
      footer={
        <DialogClose>
          <Button variant="primary">Done</Button>
        </DialogClose>
      }
    >
      <Copy value={shown.url} label="Copy the claim link" />
    </Dialog>
  ) : null;
  return { copyClaimLink: (row) => void copyClaimLink(row), fallback };
}
