'use client';

import { type ReactNode, useState } from 'react';
import { ActionBar, CountdownLine, type Player } from '@/components/tournaments/public/action-bar';
import { usePlayerActions } from '@/components/tournaments/public/use-player-actions';
import { useRegistrationDialog } from '@/components/tournaments/registration/use-registration-dialog';
import type { Tournament } from '@/components/tournaments/use-tournament';
import { Button, ButtonLink } from '@/components/ui/form/button';
import { toastError } from '@/components/ui/overlay/toaster';
import { formatMoney } from '@/domain/money/money';
import { pathWith } from '@/domain/navigation/return-path';
import { counted } from '@/domain/text/counted';
import { type Phase, type ScheduledMoment, tournamentPhase } from '@/domain/tournaments/phase';
import { countParticipants } from '@/domain/tournaments/words';

type PromptText = { title: string; detail: string };

const closedText: Record<Exclude<Phase, 'open' | 'waitlist' | 'soon' | 'full' | 'check_in'>, PromptText> = {
  draft: { title: 'Not published yet', detail: 'Players can register once it is published.' },
  closed: { title: 'Registration is closed', detail: 'You can follow the tournament here.' },
  overdue: { title: 'Waiting for the organizer to start', detail: 'Registration is closed.' },
  live: { title: 'The tournament is live', detail: 'Registration is closed. You can follow the tournament here.' },
  completed: { title: 'The tournament is over', detail: 'Find another one to play in.' },
  cancelled: { title: 'Tournament cancelled', detail: 'The organizer cancelled this tournament.' },
};

function promptText(tournament: Tournament, phase: Phase): PromptText {
  const { maxParticipants, currentParticipants, waitlistedParticipants, teamSize, requiresApproval } = tournament;
  switch (phase) {
    case 'open': {
      const slotsLeft = `${counted(maxParticipants - currentParticipants, 'slot')} left.`;
      const detail = requiresApproval ? `${slotsLeft} The organizer approves each registration.` : slotsLeft;
      return { title: 'Registration is open', detail };
    }
    case 'waitlist': {
      const verb = waitlistedParticipants === 1 ? 'is' : 'are';
      const detail =
        waitlistedParticipants > 0
          ? `All slots are taken, and ${countParticipants(waitlistedParticipants, teamSize)} ${verb} on the waitlist. Open slots go to the first on it.`
          : 'All slots are taken, and the waitlist is empty. The next open slot is yours.';
      return { title: 'The waitlist is open', detail };
    }
    case 'full':
      return {
        title: 'All slots are taken',
        detail: 'There is no waitlist. A slot may open up if someone cancels.',
      };
    case 'soon':
      return { title: 'Registration is not open yet', detail: 'Come back when it opens.' };
    case 'check_in':
      return { title: 'Registration is closed', detail: 'Participants are checking in.' };
    default:
      return closedText[phase];
  }
}

/** For viewers without a registration: register, join the waitlist, sign in first, or wait. */
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
  const canRegister = phase === 'open' || phase === 'waitlist';
  const { title, detail } = promptText(tournament, phase);
  const fee = tournament.entryFee;
  return (
    <>
      <h2 className="display text-xl">{title}</h2>
      <p className="text-muted">{detail}</p>
      {canRegister && fee && fee.amount > 0 ? (
        <p className="text-muted">The entry fee is {formatMoney(fee)}. The organizer will tell you how to pay.</p>
      ) : null}
      {cancelled ? <p className="text-muted">You cancelled your registration.</p> : null}
      {canRegister ? (
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
  const [isFormOpen, setFormOpen] = useState(false);
  const form = useRegistrationDialog();
  const needsForm = tournament.teamSize > 1 || tournament.customFields.length > 0;
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
        {waitlist ? 'Sign in to join the waitlist' : 'Sign in to register'}
      </ButtonLink>
    );
  } else {
    button = (
      <Button
        variant="primary"
        size="lg"
        loading={(register.isPending && !isFormOpen) || form.isLoading}
        onPointerEnter={needsForm ? form.prepare : undefined}
        onFocus={needsForm ? form.prepare : undefined}
        aria-haspopup={needsForm ? 'dialog' : undefined}
        onClick={() => {
          if (needsForm) {
            setFormOpen(true);
            form.request();
          } else {
            register.mutate(
              { tournamentId: tournament.slug },
              { onError: (error) => toastError(error, 'Registration failed') },
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
      {player && isFormOpen && form.Loaded ? (
        <form.Loaded
          tournament={tournament}
          player={player}
          registration={null}
          label={label}
          onClose={() => setFormOpen(false)}
        />
      ) : null}
    </>
  );
}
