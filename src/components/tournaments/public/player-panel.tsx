'use client';

import { PencilLine, UserCheck } from 'lucide-react';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { ActionBar, CountdownLine, type Player } from '@/components/tournaments/public/action-bar';
import { RegistrationPrompt } from '@/components/tournaments/public/registration-prompt';
import { usePlayerActions } from '@/components/tournaments/public/use-player-actions';
import { CancelRegistration } from '@/components/tournaments/registration/cancel-registration';
import { useRegistrationDialog } from '@/components/tournaments/registration/use-registration-dialog';
import { useServerNow } from '@/components/tournaments/use-server-now';
import {
  type Registration,
  type Tournament,
  useRegistration,
  useTournament,
} from '@/components/tournaments/use-tournament';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { Button } from '@/components/ui/form/button';
import { DateTime } from '@/components/ui/text/date-time';
import { registrationState } from '@/domain/participants/registration-state';
import { phaseChanges } from '@/domain/tournaments/phase';
import { readError } from '@/trpc/errors';

// Only where anti-cheat is required.
const AntiCheatNote = dynamic(() =>
  import('@/components/tournaments/registration/anti-cheat-note').then((module) => module.AntiCheatNote),
);
// Only for players of a roster whom somebody else put there.
const RosterInvitation = dynamic(() =>
  import('@/components/tournaments/registration/roster-invitation').then((module) => module.RosterInvitation),
);
const LeaveRoster = dynamic(() =>
  import('@/components/tournaments/registration/roster-invitation').then((module) => module.LeaveRoster),
);

type OwnRegistrationProps = { tournament: Tournament; registration: Registration; player: Player; now: number };

function OwnRegistration({ tournament, registration, player, now }: OwnRegistrationProps) {
  const { checkIn } = usePlayerActions(tournament.slug);
  // Links with `?edit` open the form right away.
  const editRequested = useSearchParams().has('edit');
  const [editing, setEditing] = useState(editRequested && registration.canEdit);
  const form = useRegistrationDialog();
  const { request } = form;
  const openedByLink = useRef(editing);
  useEffect(() => {
    if (openedByLink.current) request();
    openedByLink.current = false;
  });
  function edit() {
    setEditing(true);
    request();
  }
  const state = registrationState(registration, tournament, now);
  const { registrationStatus, status, isCaptain, canEdit, canCancel } = registration;
  const clientMissing = checkIn.isError && readError(checkIn.error).reason === 'ANTI_CHEAT_NOT_RUNNING';
  const hasForm = tournament.teamSize > 1 || tournament.customFields.length > 0;
  return (
    <>
      <div className="flex items-start justify-between gap-3">
        <h2 className="display text-xl">{state.title}</h2>
        {registrationStatus === 'approved' ? (
          <StatusBadge kind="participant" status={status} />
        ) : (
          <StatusBadge kind="registration" status={registrationStatus} />
        )}
      </div>
      <p className="text-muted">{state.detail}</p>
      {state.reason ? (
        <blockquote className="border-l-2 border-l-danger pl-3 wrap-anywhere whitespace-pre-line" dir="auto">
          {state.reason}
        </blockquote>
      ) : null}
      {state.mustAccept ? (
        <RosterInvitation
          invited={registration}
          tournament={tournament}
          className="rounded border bg-sunken px-4 py-3"
        />
      ) : null}
      {registration.type === 'team' ? <Roster tournament={tournament} registration={registration} /> : null}
      {state.mustUpdateAnswers ? (
        <div className="grid gap-2 rounded border bg-sunken px-4 py-3">
          <p>The organizer changed the questions after you answered.</p>
          <Button
            className="justify-self-start"
            icon={<PencilLine aria-hidden />}
            loading={form.isLoading}
            onPointerEnter={form.prepare}
            onFocus={form.prepare}
            onClick={edit}
          >
            Update answers
          </Button>
        </div>
      ) : null}
      {state.mustCheckIn && tournament.requiresAntiCheat ? (
        <AntiCheatNote projectId={tournament.project.id} missing={clientMissing} />
      ) : null}
      {state.mustCheckIn ? (
        <ActionBar next={state.next}>
          <Button
            variant="primary"
            size="lg"
            loading={checkIn.isPending}
            icon={<UserCheck aria-hidden />}
            onClick={() => checkIn.mutate({ tournamentId: tournament.slug })}
          >
            Check in
          </Button>
        </ActionBar>
      ) : state.next ? (
        <p className="border-t pt-3">
          <CountdownLine next={state.next} />
        </p>
      ) : null}
      {(canEdit && hasForm) || canCancel ? (
        <div className="-mx-4 flex flex-wrap gap-x-1">
          {canEdit && hasForm ? (
            <Button
              variant="ghost"
              icon={<PencilLine aria-hidden />}
              loading={form.isLoading}
              onPointerEnter={form.prepare}
              onFocus={form.prepare}
              onClick={edit}
            >
              Edit
            </Button>
          ) : null}
          {canCancel ? <CancelRegistration tournament={tournament} registration={registration} /> : null}
        </div>
      ) : null}
      {registration.canLeave && !state.mustAccept ? (
        <div className="-mx-4">
          <LeaveRoster registration={registration} tournament={tournament} variant="ghost" />
        </div>
      ) : null}
      {!isCaptain && registrationStatus !== 'cancelled' ? (
        <p className="text-xs text-faint">Only your captain can edit or cancel this registration.</p>
      ) : null}
      {editing && form.Loaded ? (
        <form.Loaded
          tournament={tournament}
          player={player}
          registration={registration}
          label="Save"
          onClose={() => setEditing(false)}
        />
      ) : null}
    </>
  );
}

/** What sets a player of the roster apart: another role, or that they have not accepted. */
function RosterNote({ role, hasAccepted }: { role: string; hasAccepted: boolean }) {
  const notes = [role === 'player' ? null : role, hasAccepted ? null : 'not accepted yet'].filter(Boolean);
  return notes.length > 0 ? <span className="shrink-0 text-xs text-faint">{notes.join(', ')}</span> : null;
}

/** The roster of the viewer's team in this tournament. */
function Roster({ tournament, registration }: Pick<OwnRegistrationProps, 'tournament' | 'registration'>) {
  const { name, roster, teamId, canEdit, canEditRoster, notAccepted } = registration;
  const { rosterLockAt } = tournament;
  return (
    <div className="border-t pt-3">
      <p className="font-medium wrap-anywhere">
        {teamId ? (
          <Link href={`/teams/${teamId}`} className="underline-offset-4 hover:underline">
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <bdi>{name}</bdi>
        )}
      </p>
      <ul aria-label="Roster" className="mt-1 grid grid-cols-1 gap-0.5 text-muted">
        {roster.map((member) => (
          <li key={member.userId ?? member.name} className="flex justify-between gap-3">
            <span className="min-w-0 truncate">
              <bdi>{member.name}</bdi>
            </span>
            <RosterNote role={member.role} hasAccepted={!notAccepted.includes(member.userId ?? '')} />
          </li>
        ))}
      </ul>
      {canEditRoster && rosterLockAt ? (
        <p className="mt-1.5 text-xs text-faint">
          The roster locks on <DateTime value={rosterLockAt} organizerZone={tournament.timezone} />.
        </p>
      ) : canEdit && !canEditRoster ? (
        <p className="mt-1.5 text-xs text-faint">The roster is locked. Ask the organizer if you need a substitute.</p>
      ) : null}
    </div>
  );
}

/** The viewer's registration, or the way to register. `player` is null for visitors who are not signed in. */
export function PlayerPanel({
  slug,
  player,
  initial,
}: {
  slug: string;
  player: Player | null;
  initial: Registration | null;
}) {
  const tournament = useTournament(slug);
  const registration = useRegistration(slug, initial, player !== null);
  const now = useServerNow(registration?.serverTime ?? tournament.serverTime, phaseChanges(tournament));
  const isActive = registration !== null && registration.registrationStatus !== 'cancelled';
  return (
    <section
      aria-label="Your registration"
      className="grid gap-3 rounded border border-line-strong bg-surface p-5 [&>*]:min-w-0"
    >
      {isActive && player ? (
        <OwnRegistration tournament={tournament} registration={registration} player={player} now={now} />
      ) : (
        <RegistrationPrompt tournament={tournament} player={player} now={now} cancelled={registration !== null} />
      )}
    </section>
  );
}
