'use client';

import { FileUp } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Button } from '@/components/ui/form/button';

const ImportDialog = dynamic(() =>
  import('@/components/tournaments/exchange/import-dialog').then((file) => file.ImportDialog),
);

/** Opens the dialog that makes a tournament of a file. */
export function ImportButton({ project }: { project: { id: string; slug: string } }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button icon={<FileUp aria-hidden />} onClick={() => setIsOpen(true)}>
        Import
      </Button>
      {isOpen ? <ImportDialog project={project} onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}
