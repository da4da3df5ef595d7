'use client';

import { UserCheck } from 'lucide-react';
import { ActionBar, type Player, Until } from '@/components/tournaments/action-bar';
import { CancelRegistration } from '@/components/tournaments/cancel-registration';
import { EntryOffer } from '@/components/tournaments/entry-offer';
import { useMoment } from '@/components/tournaments/use-moment';
import { usePlayerActions } from '@/components/tournaments/use-player-actions';
import {
  type Registration,
  type Tournament,
  useRegistration,
  useTournament,
} from '@/components/tournaments/use-tournament';
import { Button } from '@/components/ui/button';
import { StatusBadge } from '@/components/ui/status-badge';
import { entryState } from '@/lib/entry-state';
import { turningPoints } from '@/lib/tournament-phase';

function Entry({ tournament, registration, now }: { tournament: Tournament; registration: Registration; now: number }) {
  const { checkIn } = usePlayerActions(tournament.slug);
  const state = entryState(registration, tournament, now);
  const { registrationStatus, status, type, name, roster, isCaptain } = registration;
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
      {type === 'team' ? (
        <div className="border-t pt-3">
          <p className="font-medium wrap-anywhere">
            <bdi>{name}</bdi>
          </p>
          <ul aria-label="Roster" className="mt-1 grid grid-cols-1 gap-0.5 text-muted">
            {roster.map((member) => (
              <li key={member.userId} className="flex justify-between gap-3">
                <span className="min-w-0 truncate">
                  <bdi>{member.name}</bdi>
                </span>
                {member.role === 'player' ? null : <span className="text-xs text-faint">{member.role}</span>}
              </li>
            ))}
          </ul>
        </div>
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
          <Until next={state.next} />
        </p>
      ) : null}
      {registration.canCancel ? <CancelRegistration tournament={tournament} registration={registration} /> : null}
      {!isCaptain && registrationStatus !== 'cancelled' ? (
        <p className="text-xs text-faint">Your captain registered the team and alone can cancel it.</p>
      ) : null}
    </>
  );
}

/** Where the viewer stands in the tournament and what they can do. `player` null: nobody is signed in. */
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
  const now = useMoment(registration?.serverTime ?? tournament.serverTime, turningPoints(tournament));
  const live = registration !== null && registration.registrationStatus !== 'cancelled';
  return (
    <section
      aria-label="Your registration"
      className="grid gap-3 rounded border border-line-strong bg-surface p-5 [&>*]:min-w-0"
    >
      {live ? (
        <Entry tournament={tournament} registration={registration} now={now} />
      ) : (
        <EntryOffer tournament={tournament} player={player} now={now} cancelled={registration !== null} />
      )}
    </section>
  );
}
