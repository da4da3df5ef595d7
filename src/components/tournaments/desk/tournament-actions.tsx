'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  Ban,
  CopyPlus,
  DoorClosed,
  DoorOpen,
  EllipsisVertical,
  Megaphone,
  PencilLine,
  Trash2,
  UserCheck,
} from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { StartButton } from '@/components/matches/start/start-button';
import type { ParticipantCounts, Tournament } from '@/components/tournaments/desk/queries';
import { ExportItems } from '@/components/tournaments/exchange/export-items';
import { tournamentHref } from '@/components/tournaments/manage/tournament-href';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { ConfirmDialog } from '@/components/ui/overlay/dialog';
import { Menu, MenuItem } from '@/components/ui/overlay/menu';
import { toastError, toastSuccess, toastUndo } from '@/components/ui/overlay/toaster';
import { DateTime } from '@/components/ui/text/date-time';
import { counted } from '@/domain/text/counted';
import { checkInWindow, phaseOf, registrationWindow } from '@/domain/tournaments/schedule';
import { useTRPC } from '@/trpc/client';

type Confirmation = 'publish' | 'cancel' | 'delete' | null;
type Window = 'registration' | 'check-in';

/** The actions a tournament's status allows. Opening and closing can be undone; the others ask for confirmation. */
export function TournamentActions({
  projectSlug,
  tournament,
  counts,
  onChanged,
}: {
  projectSlug: string;
  tournament: Tournament;
  counts?: ParticipantCounts;
  onChanged: () => void;
}) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [confirmation, setConfirmation] = useState<Confirmation>(null);
  const { id: tournamentId, name, status, slug } = tournament;
  const input = { tournamentId };
  const mutationOptions = { onSuccess: () => onChanged() };
  const publish = useMutation(trpc.tournaments.publish.mutationOptions(mutationOptions));
  const cancel = useMutation(trpc.tournaments.cancel.mutationOptions(mutationOptions));
  const remove = useMutation(trpc.tournaments.remove.mutationOptions());
  const restore = useMutation(trpc.tournaments.update.mutationOptions(mutationOptions));
  const openRegistration = useMutation(trpc.tournaments.openRegistration.mutationOptions(mutationOptions));
  const closeRegistration = useMutation(trpc.tournaments.closeRegistration.mutationOptions(mutationOptions));
  const openCheckIn = useMutation(trpc.tournaments.openCheckIn.mutationOptions(mutationOptions));
  const closeCheckIn = useMutation(trpc.tournaments.closeCheckIn.mutationOptions(mutationOptions));

  const now = Date.parse(tournament.serverTime);
  const editHref = `${tournamentHref(projectSlug, tournament)}/edit`;
  const beforeStart = Date.parse(tournament.startDate) > now;
  const windowsEditable = status === 'PUBLISHED' && beforeStart;
  const registrationIsOpen = phaseOf(registrationWindow(tournament), now) === 'open';
  const checkInIsOpen = phaseOf(checkInWindow(tournament), now) === 'open';
  const isOver = status === 'COMPLETED' || status === 'CANCELLED';

  useShortcut('e', 'Edit the tournament', () => router.push(editHref));

  /** Opens or closes a window now; undo restores the scheduled times. */
  async function toggleWindow(which: Window, isOpen: boolean) {
    const { registrationOpensAt, registrationClosesAt, checkInOpensAt, checkInClosesAt } = tournament;
    const mutation =
      which === 'registration' ? (isOpen ? closeRegistration : openRegistration) : isOpen ? closeCheckIn : openCheckIn;
    const before =
      which === 'registration' ? { registrationOpensAt, registrationClosesAt } : { checkInOpensAt, checkInClosesAt };
    const title = which === 'registration' ? 'Registration' : 'Check-in';
    try {
      await mutation.mutateAsync(input);
      toastUndo(`${title} is ${isOpen ? 'closed' : 'open'}`, () =>
        restore.mutateAsync({ ...input, ...before }).catch((error: unknown) => toastError(error, 'Could not undo')),
      );
    } catch (error) {
      toastError(error);
      onChanged();
    }
  }

  const withSlot = tournament.currentParticipants;
  const waiting = (counts?.pending ?? 0) + tournament.waitlistedParticipants;

  return (
    <>
      {status === 'DRAFT' ? (
        <Button variant="primary" icon={<Megaphone aria-hidden />} onClick={() => setConfirmation('publish')}>
          Publish
        </Button>
      ) : null}
      {windowsEditable ? (
        <>
          <Button
            variant={registrationIsOpen || checkInIsOpen ? 'secondary' : 'primary'}
            icon={registrationIsOpen ? <DoorClosed aria-hidden /> : <DoorOpen aria-hidden />}
            loading={openRegistration.isPending || closeRegistration.isPending}
            onClick={() => void toggleWindow('registration', registrationIsOpen)}
          >
            {registrationIsOpen ? 'Close registration' : 'Open registration'}
          </Button>
          <Button
            icon={<UserCheck aria-hidden />}
            loading={openCheckIn.isPending || closeCheckIn.isPending}
            onClick={() => void toggleWindow('check-in', checkInIsOpen)}
          >
            {checkInIsOpen ? 'Close check-in' : 'Open check-in'}
          </Button>
        </>
      ) : null}
      {status === 'PUBLISHED' ? (
        <StartButton tournament={tournament} prominent={!beforeStart} onStarted={onChanged} />
      ) : null}
      <ButtonLink href={editHref} icon={<PencilLine aria-hidden />}>
        Edit
      </ButtonLink>
      <Menu
        label="More actions"
        trigger={<Button variant="secondary" size="icon" icon={<EllipsisVertical aria-hidden />} />}
      >
        <MenuItem
          icon={<CopyPlus aria-hidden />}
          onSelect={() => router.push(`/dashboard/${projectSlug}/tournaments/new?from=${slug}`)}
        >
          Duplicate tournament
        </MenuItem>
        <ExportItems tournament={tournament} />
        {isOver ? null : (
          <MenuItem danger icon={<Ban aria-hidden />} onSelect={() => setConfirmation('cancel')}>
            Cancel tournament
          </MenuItem>
        )}
        {status === 'DRAFT' ? (
          <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => setConfirmation('delete')}>
            Delete draft
          </MenuItem>
        ) : null}
      </Menu>

      <ConfirmDialog
        open={confirmation === 'publish'}
        onOpenChange={(open) => !open && setConfirmation(null)}
        title={`Publish ${name}?`}
        danger={false}
        confirmLabel="Publish"
        cancelLabel="Not yet"
        onConfirm={async () => {
          await publish.mutateAsync(input);
          toastSuccess(`${name} is published`);
        }}
      >
        <p>
          {tournament.visibility === 'public'
            ? 'Anyone can find it'
            : tournament.visibility === 'unlisted'
              ? 'Anyone with the link can open it'
              : 'Members of the project can open it'}{' '}
          at <span className="break-all text-ink">/tournaments/{slug}</span>. This address will not change.
        </p>
        <p>
          {tournament.registrationOpensAt && Date.parse(tournament.registrationOpensAt) > now ? (
            <>
              Registration opens on <DateTime value={tournament.registrationOpensAt} style="short" />.
            </>
          ) : (
            'Registration opens right away.'
          )}{' '}
          You cannot turn it back into a draft, but you can cancel it.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        open={confirmation === 'cancel'}
        onOpenChange={(open) => !open && setConfirmation(null)}
        title={`Cancel ${name}?`}
        confirmLabel="Cancel tournament"
        cancelLabel="Keep tournament"
        typeToConfirm={withSlot > 0 ? slug : undefined}
        onConfirm={async () => {
          await cancel.mutateAsync(input);
          toastSuccess(`${name} is cancelled`);
        }}
      >
        <p>
          {withSlot + waiting > 0
            ? `${counted(withSlot, 'participant has', 'participants have')} a slot${waiting > 0 ? `, and ${waiting} more ${waiting === 1 ? 'is' : 'are'} waiting` : ''}. If you cancel, no one can register, check in, or play.`
            : 'If you cancel, no one can register.'}
        </p>
        <p>
          {status === 'DRAFT'
            ? 'The draft stays in your list as cancelled.'
            : 'Its page stays online and shows that it is cancelled.'}{' '}
          Subscribed webhooks are notified. You cannot undo this.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        open={confirmation === 'delete'}
        onOpenChange={(open) => !open && setConfirmation(null)}
        title={`Delete the draft ${name}?`}
        confirmLabel="Delete draft"
        onConfirm={async () => {
          await remove.mutateAsync(input);
          toastSuccess(`Deleted the draft ${name}`);
          router.push(`/dashboard/${projectSlug}/tournaments`);
          queryClient.removeQueries({ queryKey: trpc.tournaments.get.queryKey(input) });
          router.refresh();
        }}
      >
        <p>All of its settings are deleted. No one outside the project has seen it.</p>
      </ConfirmDialog>
    </>
  );
}
