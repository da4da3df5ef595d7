'use client';

import { Download, EllipsisVertical, FileUp, UserPlus, UserX } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { isAllowed } from '@/components/tournaments/desk/actions/actions';
import { downloadCsv } from '@/components/tournaments/desk/csv/download-csv';
import { ImportDialog } from '@/components/tournaments/desk/csv/import-dialog';
import type { DeskRow, Tournament } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { Menu, MenuItem } from '@/components/ui/overlay/menu';
import { toastError, toastSuccess } from '@/components/ui/overlay/toaster';
import { counted } from '@/domain/text/counted';
import { useTRPCClient } from '@/trpc/client';

const AddParticipantsDialog = dynamic(() =>
  import('@/components/tournaments/desk/guests/add-participants-dialog').then((file) => file.AddParticipantsDialog),
);

type OpenDialog = 'no-shows' | 'import' | 'add' | null;

/** Actions for the whole list: adding, export, import and no-shows. */
export function DeskToolbar({
  tournament,
  rows,
  canWrite,
  onChanged,
}: {
  tournament: Tournament;
  rows: readonly DeskRow[];
  canWrite: boolean;
  onChanged: () => void;
}) {
  const client = useTRPCClient();
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null);
  const { id: tournamentId, slug, status } = tournament;
  const canAdd = canWrite && (status === 'DRAFT' || status === 'PUBLISHED');
  useShortcut('+', 'Add participants', () => canAdd && setOpenDialog('add'));
  const absent = rows.filter((row) => isAllowed(row, 'mark_no_show')).length;

  async function exportCsv() {
    try {
      const pages: string[] = [];
      let cursor: string | undefined;
      let lines = 0;
      do {
        const page = await client.participants.exportCsv.query({ tournamentId, cursor });
        pages.push(page.csv);
        lines += page.rows;
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
      downloadCsv(`${slug}-participants.csv`, pages.join(''));
      toastSuccess(`Exported ${counted(lines, 'participant')}`);
    } catch (error) {
      toastError(error, 'The export failed');
    }
  }

  async function markNoShows() {
    const { done } = await client.participants.markNoShows.mutate({ tournamentId });
    toastSuccess(`Marked ${counted(done.length, 'participant')} as ${done.length === 1 ? 'a no-show' : 'no-shows'}`);
    onChanged();
  }

  return (
    <>
      {canAdd ? (
        <Button icon={<UserPlus aria-hidden />} onClick={() => setOpenDialog('add')}>
          <span className="max-sm:sr-only">Add participants</span>
        </Button>
      ) : null}
      <Menu label="List actions" trigger={<Button size="icon" icon={<EllipsisVertical aria-hidden />} />}>
        <MenuItem icon={<Download aria-hidden />} onSelect={() => void exportCsv()}>
          Export as CSV
        </MenuItem>
        {canWrite && status === 'PUBLISHED' ? (
          <MenuItem icon={<FileUp aria-hidden />} onSelect={() => setOpenDialog('import')}>
            Import from CSV
          </MenuItem>
        ) : null}
        {absent > 0 ? (
          <MenuItem icon={<UserX aria-hidden />} danger onSelect={() => setOpenDialog('no-shows')}>
            Mark {absent} as {absent === 1 ? 'a no-show' : 'no-shows'}
          </MenuItem>
        ) : null}
      </Menu>
      <ConfirmDialog
        open={openDialog === 'no-shows'}
        onOpenChange={(open) => !open && setOpenDialog(null)}
        title={`Mark ${counted(absent, 'participant')} as ${absent === 1 ? 'a no-show' : 'no-shows'}?`}
        confirmLabel="Mark no-shows"
        cancelLabel="Not yet"
        onConfirm={markNoShows}
      >
        <p>
          Check-in has closed and they did not check in. They lose their slots, which go to the first on the waitlist.
          You can reinstate them while slots are left.
        </p>
      </ConfirmDialog>
      {openDialog === 'add' ? (
        <AddParticipantsDialog
          tournament={tournament}
          rows={rows}
          onClose={() => setOpenDialog(null)}
          onChanged={onChanged}
        />
      ) : null}
      {openDialog === 'import' ? (
        <ImportDialog tournament={tournament} onClose={() => setOpenDialog(null)} onChanged={onChanged} />
      ) : null}
    </>
  );
}
