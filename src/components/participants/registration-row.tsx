'use client';

import { PencilLine, UserCheck } from 'lucide-react';
import Link from 'next/link';
import {
  type MyRegistration,
  type MyRegistrationsInput,
  useCheckIn,
} from '@/components/participants/use-my-registrations';
import { DayBlock } from '@/components/tournaments/list/day-block';
import { LeaveRoster, RosterInvitation } from '@/components/tournaments/registration/roster-invitation';
import { cn } from '@/components/ui/cn';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { Countdown } from '@/components/ui/text/countdown';

/** One of the viewer's registrations with its state and next step. `input`: the query of the list it is in. */
export function RegistrationRow({ item, input }: { item: MyRegistration; input: MyRegistrationsInput }) {
  const checkIn = useCheckIn(input);
  const { registration, state } = item;
  const { tournament, registrationStatus, status } = registration;
  return (
    <li
      className={cn(
        'relative flex gap-4 border-b border-l-2 border-b-line border-l-transparent px-4 py-4 last:border-b-0 hover:bg-hover sm:items-center sm:gap-6 sm:px-5',
        state.mustCheckIn && 'border-l-accent bg-accent-soft hover:bg-accent-soft',
      )}
    >
      <DayBlock value={tournament.startDate} organizerZone={tournament.timezone} />
      <div className="flex min-w-0 flex-1 flex-col gap-x-6 gap-y-3 md:flex-row md:items-center">
        <div className="grid min-w-0 flex-1 grid-cols-1 gap-0.5">
          <h3 className="min-w-0">
            <Link
              href={`/tournaments/${tournament.slug}`}
              className="display line-clamp-2 text-lg wrap-anywhere after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
            >
              <bdi>{tournament.name}</bdi>
            </Link>
          </h3>
          <p className="text-muted">
            <span className="font-medium text-ink">{state.title}.</span> {state.detail}
          </p>
          {state.mustAccept ? (
            <RosterInvitation invited={registration} tournament={tournament} className="relative z-1 mt-2" />
          ) : null}
          {state.mustUpdateAnswers ? <p>The organizer changed the questions. Review your answers.</p> : null}
          {state.reason ? (
            <p className="line-clamp-3 wrap-anywhere">
              <span className="text-muted">Reason:</span> <bdi>{state.reason}</bdi>
            </p>
          ) : null}
          {registration.type === 'team' ? (
            <p className="truncate text-xs text-faint">
              Team <bdi>{registration.name}</bdi>
            </p>
          ) : null}
          {registration.canLeave && !state.mustAccept ? (
            <LeaveRoster
              registration={registration}
              tournament={tournament}
              variant="ghost"
              className="relative z-1 -ml-4 justify-self-start"
            />
          ) : null}
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 md:w-52 md:shrink-0 md:flex-col md:items-end">
          {state.mustCheckIn ? (
            <Button
              variant="primary"
              className="relative z-1 max-sm:w-full"
              loading={checkIn.isPending}
              icon={<UserCheck aria-hidden />}
              aria-label={`Check in to ${tournament.name}`}
              onClick={() => checkIn.mutate({ tournamentId: registration.tournamentId })}
            >
              Check in
            </Button>
          ) : state.mustUpdateAnswers ? (
            <ButtonLink
              href={`/tournaments/${tournament.slug}?edit=1`}
              className="relative z-1 max-sm:w-full"
              icon={<PencilLine aria-hidden />}
            >
              Update answers
            </ButtonLink>
          ) : registrationStatus === 'approved' ? (
            <StatusBadge kind="participant" status={status} />
          ) : (
            <StatusBadge kind="registration" status={registrationStatus} />
          )}
          {state.next ? (
            <p className="flex items-baseline gap-1.5 text-xs text-muted">
              {state.next.label} in
              <Countdown to={new Date(state.next.at)} label={`${tournament.name}: ${state.next.label}`} size="sm" />
            </p>
          ) : null}
        </div>
      </div>
    </li>
  );
}
