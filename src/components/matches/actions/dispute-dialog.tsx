'use client';

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { describeReport, pairing } from '@/components/matches/actions/match-names';
import { useRefreshMatches } from '@/components/matches/actions/use-refresh-matches';
import type { Match } from '@/components/matches/types';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { FormError } from '@/components/ui/form/form-error';
import { Textarea } from '@/components/ui/form/input';
import { Dialog, DialogClose } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';
import { type ReadError, readError } from '@/trpc/errors';

const maxReasonLength = 2_000;

/** Disputes what the opponent reported, with a reason for the moderators. */
export function DisputeDialog({ match, onClose }: { match: Match; onClose: () => void }) {
  const trpc = useTRPC();
  const refresh = useRefreshMatches();
  const [reason, setReason] = useState('');
  const [invalid, setInvalid] = useState<string>();
  const [failure, setFailure] = useState<ReadError | null>(null);
  const dispute = useMutation(
    trpc.matches.dispute.mutationOptions({
      onMutate: () => setFailure(null),
      onError: (error) => setFailure(readError(error)),
      onSuccess: () => {
        refresh();
        toastSuccess('Result disputed', 'A moderator will decide.');
        onClose();
      },
    }),
  );

  function submit() {
    if (dispute.isPending) return;
    if (reason.trim() === '') return setInvalid('Say what is wrong.');
    dispute.mutate({ matchId: match.id, reason: reason.trim() });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Dispute the result"
      description={`M${match.number}: ${pairing(match)}`}
      footer={
        <div className="grid w-full grid-cols-1 gap-3">
          <FormError error={failure} />
          <div className="flex justify-end gap-3">
            <DialogClose>
              <Button>Cancel</Button>
            </DialogClose>
            <Button variant="danger" type="submit" form="match-dispute" loading={dispute.isPending}>
              Dispute
            </Button>
          </div>
        </div>
      }
    >
      <form
        id="match-dispute"
        noValidate
        className="grid grid-cols-1 gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {match.report ? (
          <p className="text-muted wrap-anywhere">Reported: {describeReport(match, match.report)}.</p>
        ) : null}
        <Field label="What is wrong?" required error={invalid} hint="Moderators and your opponent can read this.">
          <Textarea
            autoFocus
            rows={3}
            maxLength={maxReasonLength}
            value={reason}
            onChange={(event) => {
              setReason(event.target.value);
              setInvalid(undefined);
            }}
          />
        </Field>
      </form>
    </Dialog>
  );
}
