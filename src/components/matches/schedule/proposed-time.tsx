'use client';

import { useMutation } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { nameIn, pairing } from '@/components/matches/actions/match-names';
import { useRefreshMatches } from '@/components/matches/actions/use-refresh-matches';
import type { Match } from '@/components/matches/types';
import { Button } from '@/components/ui/form/button';
import { FormError } from '@/components/ui/form/form-error';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { DateTime, RelativeTime } from '@/components/ui/text/date-time';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

type Props = { match: Match; canManage: boolean; myParticipantId: string | null };

/** The time that one side proposed, with what the viewer can answer. Renders nothing when there is no proposal. */
export function ProposedTime({ match, canManage, myParticipantId }: Props) {
  const trpc = useTRPC();
  const refresh = useRefreshMatches();
  const done = (message: string) => () => {
    refresh();
    toastSuccess(message);
  };
  const isOwn = match.proposal !== null && match.proposal.by === myParticipantId;
  const accept = useMutation(
    trpc.matches.acceptTime.mutationOptions({ onSuccess: done('The new time is set'), onError: refresh }),
  );
  const decline = useMutation(
    trpc.matches.declineTime.mutationOptions({ onSuccess: done(isOwn ? 'Proposal withdrawn' : 'Proposal declined') }),
  );
  const { id: matchId, version, proposal, slots, status } = match;
  if (!proposal || (status !== 'ready' && status !== 'scheduled')) return null;
  const isPlaying = slots.some(({ participantId }) => participantId !== null && participantId === myParticipantId);
  const failed = accept.error ?? decline.error;
  return (
    <div className="grid grid-cols-1 gap-3 rounded border border-line-strong bg-surface p-4">
      <div className="flex gap-3">
        <CalendarClock aria-hidden className="size-5 shrink-0 text-live" />
        <div className="grid min-w-0 gap-0.5 wrap-anywhere">
          <p>
            {isOwn ? 'You propose' : <bdi className="font-medium">{nameIn(match, proposal.by)}</bdi>}
            {isOwn ? '' : ' proposes'} to play on <DateTime value={proposal.scheduledAt} className="font-medium" />.
          </p>
          <p className="text-xs text-faint">
            Proposed <RelativeTime value={proposal.proposedAt} />
            {isOwn ? '. Your opponent has to accept it.' : ''}
          </p>
        </div>
      </div>
      {isPlaying || canManage ? (
        <fieldset aria-label={`Proposed time of ${pairing(match)}`} className="flex min-w-0 flex-wrap gap-2">
          {isOwn ? null : (
            <Button
              size="sm"
              variant="primary"
              loading={accept.isPending}
              disabled={decline.isPending}
              onClick={() => accept.mutate({ matchId, version })}
            >
              Accept time
            </Button>
          )}
          <Button
            size="sm"
            loading={decline.isPending}
            disabled={accept.isPending}
            onClick={() => decline.mutate({ matchId })}
          >
            {isOwn ? 'Withdraw' : 'Decline'}
          </Button>
        </fieldset>
      ) : null}
      <FormError error={failed ? readError(failed) : null} />
    </div>
  );
}
