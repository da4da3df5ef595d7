'use client';

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { MatchFormDialog } from '@/components/matches/actions/match-form-dialog';
import { describeReport, nameIn } from '@/components/matches/actions/match-names';
import { useRefreshMatches } from '@/components/matches/actions/use-refresh-matches';
import type { Match } from '@/components/matches/types';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

/** Removes a report that nobody has answered, such as one of a match that has not been played. */
export function RemoveReportDialog({ match, onClose }: { match: Match; onClose: () => void }) {
  const trpc = useTRPC();
  const refresh = useRefreshMatches();
  // The match as it was opened: the report is removed as it was seen.
  const [{ id: matchId, version, report }] = useState(match);
  const [reason, setReason] = useState('');
  const remove = useMutation(
    trpc.matches.reopen.mutationOptions({
      onSuccess: () => {
        refresh();
        toastSuccess(`Report of M${match.number} removed`);
        onClose();
      },
      onError: refresh,
    }),
  );
  return (
    <MatchFormDialog
      match={match}
      title="Remove the report"
      error={remove.error}
      pending={remove.isPending}
      submitLabel="Remove report"
      submitVariant="danger"
      onSubmit={() => remove.mutate({ matchId, version, reason: reason.trim() || undefined })}
      onClose={onClose}
    >
      {report ? (
        <p className="wrap-anywhere">
          <bdi>{nameIn(match, report.by)}</bdi> reported: {describeReport(match, report)}. Without the report, the match
          can be started or moved, and the result has to be reported again.
        </p>
      ) : null}
      <Field label="Reason" hint="Kept in the audit log and shown to both sides.">
        <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </MatchFormDialog>
  );
}
