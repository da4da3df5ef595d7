'use client';

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { MatchFormDialog } from '@/components/matches/actions/match-form-dialog';
import { ResultFields } from '@/components/matches/actions/result-fields';
import { readResult, type TypedResult, textOf } from '@/components/matches/actions/result-values';
import { useDecideAsSeen } from '@/components/matches/actions/use-decide-as-seen';
import { useRefreshMatches } from '@/components/matches/actions/use-refresh-matches';
import { ChangedReports, ReportedResults } from '@/components/matches/reported-results';
import { MatchThread } from '@/components/matches/thread/match-thread';
import type { Match } from '@/components/matches/types';
import { toastError, toastSuccess, toastUndo } from '@/components/ui/overlay/toaster';
import { counted } from '@/domain/text/counted';
import { useTRPC, useTRPCClient } from '@/trpc/client';

const titles = { report: 'Report the result', enter: 'Enter the result', rule: 'Rule on the result' } as const;
const submitLabels = { report: 'Report result', enter: 'Save result', rule: 'Rule' } as const;

/** A result by game: reported by a player, or decided by staff. */
export function ResultDialog({
  match,
  purpose,
  onClose,
}: {
  match: Match;
  purpose: keyof typeof titles;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const refresh = useRefreshMatches();
  const [value, setValue] = useState(() => textOf(match));
  const [invalid, setInvalid] = useState<string>();
  const reopen = useMutation(trpc.matches.reopen.mutationOptions({ onSuccess: refresh }));
  const report = useMutation(
    trpc.matches.report.mutationOptions({
      onSuccess: (after) => {
        refresh();
        toastSuccess(
          after.status === 'completed'
            ? 'Result confirmed'
            : after.status === 'disputed'
              ? 'Your opponent reported a different result. A moderator will decide.'
              : 'Result reported. Your opponent can confirm it now.',
        );
        onClose();
      },
    }),
  );
  const resolve = useDecideAsSeen(match, {
    decide: (result: TypedResult, version) => client.matches.resolve.mutate({ matchId: match.id, version, ...result }),
    onSuccess: () => {
      toastUndo(`M${match.number} is decided`, () =>
        reopen
          .mutateAsync({ matchId: match.id, reason: 'Undone right after it was decided' })
          .catch((error: unknown) => toastError(error, 'Could not undo')),
      );
      onClose();
    },
  });
  const { changed } = resolve;
  const isPending = report.isPending || resolve.isPending;

  function submit() {
    const { result, error } = readResult(match, value);
    setInvalid(error ?? undefined);
    if (result === null) return;
    if (purpose === 'report') report.mutate({ matchId: match.id, ...result });
    else resolve.mutate(result);
  }

  return (
    <MatchFormDialog
      match={match}
      title={titles[purpose]}
      about={match.bestOf === 1 ? 'One game.' : `Best of ${counted(match.bestOf, 'game')}.`}
      width={purpose === 'rule' ? 'lg' : 'md'}
      error={report.error ?? resolve.error}
      pending={isPending}
      submitLabel={changed ? 'Decide anyway' : submitLabels[purpose]}
      aside={purpose === 'rule' ? <MatchThread matchId={match.id} /> : null}
      onSubmit={submit}
      onClose={onClose}
    >
      {changed ? <ChangedReports {...changed} /> : purpose === 'rule' ? <ReportedResults match={match} /> : null}
      <ResultFields
        match={match}
        value={value}
        error={invalid}
        onChange={(next) => {
          setInvalid(undefined);
          setValue(next);
        }}
      />
    </MatchFormDialog>
  );
}
