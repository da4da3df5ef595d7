'use client';

import { Swords } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Button } from '@/components/ui/form/button';

const StartDialog = dynamic(() => import('@/components/matches/start/start-dialog').then((file) => file.StartDialog));

/** Opens the preview of the draw, where the tournament is started. */
export function StartButton({
  tournament,
  prominent,
  onStarted,
}: {
  tournament: { id: string; name: string };
  /** Whether starting is the next thing to do. */
  prominent: boolean;
  onStarted: () => void;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant={prominent ? 'primary' : 'secondary'} icon={<Swords aria-hidden />} onClick={() => setOpen(true)}>
        Start tournament
      </Button>
      {open ? <StartDialog tournament={tournament} onClose={() => setOpen(false)} onStarted={onStarted} /> : null}
    </>
  );
}
