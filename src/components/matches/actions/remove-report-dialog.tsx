'use client';

import { useState } from 'react';
import { MatchFormDialog } from '@/components/matches/actions/match-form-dialog';
import { useDecideAsSeen } from '@/components/matches/actions/use-decide-as-seen';
import { ChangedReports, ReportedResults } from '@/components/matches/reported-results';
import type { Match } from '@/components/matches/types';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { isReportRemovable } from '@/domain/matches/play';
import { useTRPCClient } from '@/trpc/client';

/** Removes a report that nobody has answered, such as one of a match that has not been played. */
export function RemoveReportDialog({ match, onClose }: { match: Match; onClose: () => void }) {
  const client = useTRPCClient();
  const [opened] = useState(match);
  const [reason, setReason] = useState('');
  const remove = useDecideAsSeen(match, {
    decide: (given: string | undefined, version) =>
      client.matches.reopen.mutate({ matchId: match.id, version, reason: given }),
    // To reopen a match that is decided by now would take its result back.
    isPossible: isReportRemovable,
    onSuccess: () => {
      toastSuccess(`Report of M${match.number} removed`);
      onClose();
    },
  });
  const { changed } = remove;
  return (
    <MatchFormDialog
      match={match}
      title="Remove the report"
      error={remove.error}
      pending={remove.isPending}
      submitLabel={changed ? 'Remove anyway' : 'Remove report'}
      submitVariant="danger"
      onSubmit={() => remove.mutate(reason.trim() || undefined)}
      onClose={onClose}
    >
      {changed ? <ChangedReports {...changed} /> : <ReportedResults match={opened} />}
      <p>Without the report, the match can be started or moved, and the result has to be reported again.</p>
      <Field label="Reason" hint="Kept in the audit log and shown to both sides.">
        <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </MatchFormDialog>
  );
}
