'use client';

import { Button } from '@/components/ui/form/button';
import { Dialog } from '@/components/ui/overlay/dialog';
import { SecretReveal } from '@/components/ui/text/secret-reveal';

/** Shows the token of a client, which cannot be read again. */
export function TokenDialog({ title, token, onClose }: { title: string; token: string; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description="Copy the token now. It is not shown again."
      footer={
        <Button variant="primary" onClick={onClose}>
          I have copied the token
        </Button>
      }
    >
      <SecretReveal
        value={token}
        label="client token"
        shown
        note="Enter it in the anti-cheat client on the computer you play on. With it a client can report as you, and nothing else."
      />
    </Dialog>
  );
}
