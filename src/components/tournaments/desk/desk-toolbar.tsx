'use client';

import { Download, EllipsisVertical, FileUp, UserX } from 'lucide-react';
import { useState } from 'react';
import { isAllowed } from '@/components/tournaments/desk/actions/actions';
import { downloadCsv } from '@/components/tournaments/desk/csv/download-csv';
import { ImportDialog } from '@/components/tournaments/desk/csv/import-dialog';
import type { DeskRow, Tournament } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { Menu, MenuItem } from '@/components/ui/overlay/menu';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPCClient } from '@/trpc/client';

type OpenDialog = 'no-shows' | 'import' | null;

/** What concerns the whole list: no-shows, and lists that come in and go out. */
export function DeskToolbar({
  tournament,
  rows,
  mayWrite,
  onChanged,
}: {
  tournament: Tournament;
  rows: readonly DeskRow[];
  mayWrite: boolean;
  onChanged: () => void;
}) {
  const client = useTRPCClient();
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null);
  const { id: tournamentId, slug, status } = tournament;
  const absent = rows.filter((row) => isAllowed(row, 'mark_no_show')).length;

  async function exportCsv() {
    try {
      const parts: string[] = [];
      let cursor: string | undefined;
      let lines = 0;
      do {
        const part = await client.participants.exportCsv.query({ tournamentId, cursor });
        parts.push(part.csv);
        lines += part.rows;
        cursor = part.next ?? undefined;
      } while (cursor !== undefined);
      downloadCsv(`${slug}-entrants.csv`, parts.join(''));
      toastSuccess(lines === 1 ? '1 entrant is in the file' : `${lines} entrants are in the file`);
    } catch (error) {
      toastError(error, 'The entrants could not be exported');
    }
  }

  async function markNoShows() {
    const { done } = await client.participants.markNoShows.mutate({ tournamentId });
    toastSuccess(done.length === 1 ? '1 entrant is marked as a no-show' : `${done.length} are marked as no-shows`);
    onChanged();
  }

  return (
    <>
      <Menu label="More for the list" trigger={<Button size="icon" icon={<EllipsisVertical aria-hidden />} />}>
        <MenuItem icon={<Download aria-hidden />} onSelect={() => void exportCsv()}>
          Export as CSV
        </MenuItem>
        {mayWrite && status === 'PUBLISHED' ? (
          <MenuItem icon={<FileUp aria-hidden />} onSelect={() => setOpenDialog('import')}>
            Import from CSV
          </MenuItem>
        ) : null}
        {absent > 0 ? (
          <MenuItem icon={<UserX aria-hidden />} danger onSelect={() => setOpenDialog('no-shows')}>
            Mark {absent} as no-shows
          </MenuItem>
        ) : null}
      </Menu>
      <ConfirmDialog
        open={openDialog === 'no-shows'}
        onOpenChange={(open) => !open && setOpenDialog(null)}
        title={absent === 1 ? 'Mark 1 entrant as a no-show?' : `Mark ${absent} entrants as no-shows?`}
        confirmLabel="Mark no-shows"
        cancelLabel="Not yet"
        onConfirm={markNoShows}
      >
        <p>
          Check-in has closed and they are not checked in. They give up their slots, and whoever waits longest gets
          them. You can reinstate each while a slot is free.
        </p>
      </ConfirmDialog>
      {openDialog === 'import' ? (
        <ImportDialog tournament={tournament} onClose={() => setOpenDialog(null)} onChanged={onChanged} />
      ) : null}
    </>
  );
}
