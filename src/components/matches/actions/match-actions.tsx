'use client';

import { useMutation } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { allowedActions, type MatchAction, type Viewer } from '@/components/matches/actions/allowed';
import { nameIn, pairing } from '@/components/matches/actions/match-names';
import { useRefreshMatches } from '@/components/matches/actions/use-refresh-matches';
import type { Match } from '@/components/matches/types';
import { Button } from '@/components/ui/form/button';
import { FormError } from '@/components/ui/form/form-error';
import { toastError, toastSuccess, toastUndo } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const ResultDialog = dynamic(() =>
  import('@/components/matches/actions/result-dialog').then((file) => file.ResultDialog),
);
const DisputeDialog = dynamic(() =>
  import('@/components/matches/actions/dispute-dialog').then((file) => file.DisputeDialog),
);
const ForfeitDialog = dynamic(() =>
  import('@/components/matches/actions/forfeit-dialog').then((file) => file.ForfeitDialog),
);
const RescheduleDialog = dynamic(() =>
  import('@/components/matches/schedule/reschedule-dialog').then((file) => file.RescheduleDialog),
);
const RemoveReportDialog = dynamic(() =>
  import('@/components/matches/actions/remove-report-dialog').then((file) => file.RemoveReportDialog),
);
const CorrectionDialog = dynamic(() =>
  import('@/components/matches/actions/correction-dialog').then((file) => file.CorrectionDialog),
);

const labels: Record<MatchAction, string> = {
  report: 'Report result',
  confirm: 'Confirm',
  dispute: 'Dispute',
  enter: 'Enter result',
  rule: 'Rule',
  begin: 'Begin',
  removeReport: 'Remove report',
  reschedule: 'Set time',
  forfeit: 'Forfeit',
  correct: 'Correct result',
  reopen: 'Reopen',
};

type OpenDialog = { action: Exclude<MatchAction, 'confirm' | 'begin'> };

/** What the viewer can do with a match now, with the errors beside it. Renders nothing when there is nothing to do. */
export function MatchActions({ match, tournamentId, viewer }: { match: Match; tournamentId: string; viewer: Viewer }) {
  const { canManage, myParticipantId } = viewer;
  const trpc = useTRPC();
  const refresh = useRefreshMatches();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const reopen = useMutation(trpc.matches.reopen.mutationOptions({ onSuccess: refresh }));
  const confirm = useMutation(
    trpc.matches.confirm.mutationOptions({
      onSuccess: () => {
        refresh();
        if (!canManage) return toastSuccess('Result confirmed');
        toastUndo(`M${match.number} is decided`, () =>
          reopen
            .mutateAsync({ matchId: match.id, reason: 'Undone right after it was confirmed' })
            .catch((error: unknown) => toastError(error, 'Could not undo')),
        );
      },
      onError: refresh,
    }),
  );
  const begin = useMutation(
    trpc.matches.begin.mutationOptions({
      onSuccess: () => {
        refresh();
        toastSuccess(`M${match.number} is being played`);
      },
    }),
  );

  const actions = allowedActions(match, viewer);
  const isPlaying = match.slots.some(
    ({ participantId }) => participantId !== null && participantId === myParticipantId,
  );
  const { report, status } = match;
  const isOwnReport = report !== null && report.by === myParticipantId && status === 'in_progress';
  const opponent = match.slots.find(({ participantId }) => participantId !== myParticipantId)?.participantId ?? null;
  const failed = confirm.error ?? begin.error;
  const closeDialog = () => setDialog(null);

  function run(action: MatchAction) {
    confirm.reset();
    begin.reset();
    // What is confirmed is what is on the screen: the other side may change its report at any time.
    if (action === 'confirm') confirm.mutate({ matchId: match.id, version: match.version });
    else if (action === 'begin') begin.mutate({ matchId: match.id });
    else setDialog({ action });
  }

  if (actions.length === 0 && dialog === null) return null;
  return (
    <div className="grid grid-cols-1 gap-2">
      {isOwnReport ? (
        <p className="text-muted">
          You reported a result. <bdi>{nameIn(match, opponent)}</bdi> has to confirm it.
        </p>
      ) : null}
      <fieldset aria-label={`Actions for M${match.number}, ${pairing(match)}`} className="flex min-w-0 flex-wrap gap-2">
        {actions.map((action, at) => (
          <Button
            key={action}
            data-action={action}
            size="sm"
            variant={at === 0 && action !== 'correct' ? 'primary' : 'secondary'}
            loading={(action === 'confirm' && confirm.isPending) || (action === 'begin' && begin.isPending)}
            onClick={() => run(action)}
          >
            {action === 'report' && isOwnReport
              ? 'Change report'
              : action === 'reschedule' && isPlaying
                ? 'Propose a time'
                : labels[action]}
          </Button>
        ))}
      </fieldset>
      <FormError error={failed ? readError(failed) : null} />
      {dialog?.action === 'report' || dialog?.action === 'enter' || dialog?.action === 'rule' ? (
        <ResultDialog match={match} purpose={dialog.action} onClose={closeDialog} />
      ) : null}
      {dialog?.action === 'dispute' ? <DisputeDialog match={match} onClose={closeDialog} /> : null}
      {dialog?.action === 'reschedule' ? (
        <RescheduleDialog match={match} setsAtOnce={!isPlaying} onClose={closeDialog} />
      ) : null}
      {dialog?.action === 'forfeit' ? <ForfeitDialog match={match} onClose={closeDialog} /> : null}
      {dialog?.action === 'removeReport' ? <RemoveReportDialog match={match} onClose={closeDialog} /> : null}
      {dialog?.action === 'correct' || dialog?.action === 'reopen' ? (
        <CorrectionDialog match={match} tournamentId={tournamentId} purpose={dialog.action} onClose={closeDialog} />
      ) : null}
    </div>
  );
}
