'use client';

import { Download } from 'lucide-react';
import type { Tournament } from '@/components/tournaments/desk/queries';
import { downloadFile } from '@/components/ui/download-file';
import { MenuItem } from '@/components/ui/overlay/menu';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPCClient } from '@/trpc/client';

/** Menu items that download a tournament as a file. */
export function ExportItems({ tournament: { id, slug, startedAt } }: { tournament: Tournament }) {
  const client = useTRPCClient();

  async function download(format: 'laurel' | 'brackets-manager') {
    try {
      const file = await client.matches.exportFile.query({ tournamentId: id, format });
      downloadFile(`${slug}.${format}.json`, [JSON.stringify(file)], 'application/json');
      toastSuccess('Exported the tournament');
    } catch (error) {
      toastError(error, 'The export failed');
    }
  }

  return (
    <>
      <MenuItem icon={<Download aria-hidden />} onSelect={() => void download('laurel')}>
        Export as a file
      </MenuItem>
      {startedAt === null ? null : (
        <MenuItem icon={<Download aria-hidden />} onSelect={() => void download('brackets-manager')}>
          Export for brackets-manager
        </MenuItem>
      )}
    </>
  );
}
