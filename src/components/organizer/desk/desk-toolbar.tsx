'use client';

import { EllipsisVertical, UserX } from 'lucide-react';
import { useState } from 'react';
import { may } from '@/components/organizer/desk/actions';
import type { DeskRow, Detail } from '@/components/organizer/queries';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/dialog';
import { Menu, MenuItem } from '@/components/ui/menu';
import { toastDone } from '@/components/ui/toaster';
import { useTRPCClient } from '@/trpc/client';

/** What concerns the whole list: no-shows, and lists that come in and go out. */
export function DeskToolbar({
  tournament,
  rows,
  onChanged,
}: {
  tournament: Detail;
  rows: readonly DeskRow[];
  onChanged: () => void;
}) {
  const client = useTRPCClient();
  const [asking, setAsking] = useState(false);
  const absent = rows.filter((row) => may(row, 'mark_no_show')).length;

  async function markNoShows() {
    const { done } = await client.participants.markNoShows.mutate({ tournamentId: tournament.id });
    toastDone(done.length === 1 ? '1 entrant is marked as a no-show' : `${done.length} are marked as no-shows`);
    onChanged();
  }

  return (
    <>
      <Menu label="More for the list" trigger={<Button size="icon" icon={<EllipsisVertical aria-hidden />} />}>
        <MenuItem icon={<UserX aria-hidden />} danger disabled={absent === 0} onSelect={() => setAsking(true)}>
          {absent === 0 ? 'Mark no-shows' : `Mark ${absent} as no-shows`}
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
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
    </>
  );
}
