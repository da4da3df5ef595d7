'use client';

import { type ReactNode, useState } from 'react';
import { ActionBar, CountdownLine, type Player } from '@/components/tournaments/public/action-bar';
import { usePlayerActions } from '@/components/tournaments/public/use-player-actions';
import { RegistrationDialog } from '@/components/tournaments/registration/registration-dialog';
import type { Tournament } from '@/components/tournaments/use-tournament';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { toastError } from '@/components/ui/overlay/toaster';
import { formatMoney } from '@/domain/money/money';
import { pathWith } from '@/domain/navigation/return-path';
import { type Phase, type ScheduledMoment, tournamentPhase } from '@/domain/tournaments/phase';
import { countParticipants } from '@/domain/tournaments/words';

const closedText: Record<Exclude<Phase, 'open' | 'waitlist' | 'soon' | 'full' | 'check_in'>, [string, string]> = {
  draft: ['Not published yet', 'Players can register once it is published.'],
  closed: ['Registration is closed', 'You can watch who plays and how it goes here.'],
  starting: ['It starts any moment', 'Registration is closed.'],
  live: ['It is on', 'Registration is closed. You can follow it here.'],
  completed: ['It is over', 'Look for another one to enter.'],
  cancelled: ['Called off', 'The organizer has cancelled this tournament.'],
};

function promptText(tournament: Tournament, phase: Phase): [title: string, detail: string] {
  const { maxParticipants, currentParticipants, waitlistedParticipants, teamSize } = tournament;
  const left = maxParticipants - currentParticipants;
  switch (phase) {
    case 'open':
      return [
        'You can enter',
        `${left === 1 ? 'One slot is' : `${left.toLocaleString('en')} slots are`} left.${
          tournament.requiresApproval ? ' The organizer approves every entrant.' : ''
        }`,
      ];
    case 'waitlist':
      return [
        'Full, with a waitlist',
        waitlistedParticipants > 0
          ? `${countParticipants(waitlistedParticipants, teamSize)} in line before you. Slots that free go to the first.`
          : 'Nobody is in line before you. The first slot that frees is yours.',
      ];
    case 'full':
      return ['All slots are taken', 'There is no waitlist. A slot may free when someone cancels.'];
    case 'soon':
      return ['Not open yet', 'Come back when registration opens.'];
    case 'check_in':
      return ['Registration is closed', 'Entrants are checking in.'];
    default:
      return closedText[phase];
  }
}

/** What someone without a registration may do: register, join the waitlist, sign in first, or wait. */
export function RegistrationPrompt({
  tournament,
  player,
  now,
  cancelled,
}: {
  tournament: Tournament;
  player: Player | null;
  now: number;
  cancelled: boolean;
}) {
  const { phase, next } = tournamentPhase(tournament, now);
  const enterable = phase === 'open' || phase === 'waitlist';
  const [title, detail] = promptText(tournament, phase);
  const fee = tournament.entryFee;
  return (
    <>
      <h2 className="display text-xl">{title}</h2>
      <p className="text-muted">{detail}</p>
      {enterable && fee && fee.amount > 0 ? (
        <p className="text-muted">Entering costs {formatMoney(fee)}; the organizer tells you how to pay.</p>
      ) : null}
      {cancelled ? <p className="text-muted">You cancelled your registration.</p> : null}
      {enterable ? (
        <RegisterButton tournament={tournament} player={player} next={next} waitlist={phase === 'waitlist'} />
      ) : next ? (
        <p className="border-t pt-3">
          <CountdownLine next={next} />
        </p>
      ) : null}
      {phase === 'completed' || phase === 'cancelled' || phase === 'full' ? (
        <ButtonLink href="/tournaments?phase=open">Find another tournament</ButtonLink>
      ) : null}
    </>
  );
}

function RegisterButton({
  tournament,
  player,
  next,
  waitlist,
}: {
  tournament: Tournament;
  player: Player | null;
  next: ScheduledMoment | null;
  waitlist: boolean;
}) {
  const { register } = usePlayerActions(tournament.slug);
  const [form, setForm] = useState(false);
  const asks = tournament.teamSize > 1 || tournament.customFields.length > 0;
  const label = waitlist ? 'Join the waitlist' : tournament.teamSize > 1 ? 'Register a team' : 'Register';
  const closes = next && { ...next, label: 'Registration closes' };

  let button: ReactNode;
  if (!player) {
    button = (
      <ButtonLink
        href={pathWith('/sign-in', { next: `/tournaments/${tournament.slug}` })}
        variant="primary"
        size="lg"
        prefetch={false}
      >
        Sign in to register
      </ButtonLink>
    );
  } else {
    button = (
      <Button
        variant="primary"
        size="lg"
        loading={register.isPending && !form}
        aria-haspopup={asks ? 'dialog' : undefined}
        onClick={() => {
          if (asks) setForm(true);
          else {
            register.mutate(
              { tournamentId: tournament.slug },
              { onError: (error) => toastError(error, 'You are not registered') },
            );
          }
        }}
      >
        {label}
      </Button>
    );
  }
  return (
    <>
      <ActionBar next={closes}>{button}</ActionBar>
      {player && form ? (
        <RegistrationDialog
          tournament={tournament}
          player={player}
          registration={null}
          label={label}
          onClose={() => setForm(false)}
        />
      ) : null}
    </>
  );
}
