'use client';

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { MatchFormDialog } from '@/components/matches/actions/match-form-dialog';
import { useRefreshMatches } from '@/components/matches/actions/use-refresh-matches';
import type { Match } from '@/components/matches/types';
import { DateTimeField } from '@/components/ui/form/date-time-field';
import { Field } from '@/components/ui/form/field';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { useViewerZone } from '@/components/ui/text/date-time';
import { serverNow } from '@/domain/time/server-clock';
import { formatInstant } from '@/domain/time/zones';
import { useTRPC } from '@/trpc/client';

/** A time in the viewer's zone: proposed by a player, or set by staff. */
export function RescheduleDialog({
  match,
  setsAtOnce,
  onClose,
}: {
  match: Match;
  /** Whether the viewer decides the time instead of proposing it. */
  setsAtOnce: boolean;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const refresh = useRefreshMatches();
  const zone = useViewerZone();
  const [scheduledAt, setScheduledAt] = useState(match.scheduledAt);
  const [invalid, setInvalid] = useState<string>();
  const reschedule = useMutation(
    trpc.matches.reschedule.mutationOptions({
      onSuccess: () => {
        refresh();
        toastSuccess(
          setsAtOnce ? `The time of M${match.number} is set` : 'Time proposed',
          setsAtOnce ? undefined : 'Your opponent can accept or decline it.',
        );
        onClose();
      },
    }),
  );

  function submit() {
    if (scheduledAt === null) return setInvalid('Choose a date and a time.');
    if (!setsAtOnce && Date.parse(scheduledAt) <= serverNow()) return setInvalid('Choose a time in the future.');
    if (scheduledAt === match.scheduledAt) return setInvalid('This is the time it has already.');
    reschedule.mutate({ matchId: match.id, scheduledAt });
  }

  return (
    <MatchFormDialog
      match={match}
      title={setsAtOnce ? 'Set the time' : 'Propose another time'}
      about={
        match.scheduledAt ? `Planned for ${formatInstant(match.scheduledAt, zone, 'short')}.` : 'No time is set yet.'
      }
      error={reschedule.error}
      pending={reschedule.isPending}
      submitLabel={setsAtOnce ? 'Set time' : 'Propose time'}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        required
        label="New time"
        error={invalid}
        hint={
          setsAtOnce
            ? 'Both sides see it at once. A proposal that is open is settled by it.'
            : 'The match moves when your opponent accepts. A new proposal replaces the one before.'
        }
      >
        <DateTimeField
          value={scheduledAt}
          zone={zone}
          onChange={(next) => {
            setInvalid(undefined);
            reschedule.reset();
            setScheduledAt(next);
          }}
        />
      </Field>
    </MatchFormDialog>
  );
}
