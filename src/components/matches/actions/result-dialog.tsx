'use client';

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { pairing } from '@/components/matches/actions/match-names';
import { ResultFields } from '@/components/matches/actions/result-fields';
import { readResult, textOf } from '@/components/matches/actions/result-values';
import { useRefreshMatches } from '@/components/matches/actions/use-refresh-matches';
import type { Match } from '@/components/matches/types';
import { Button } from '@/components/ui/form/button';
import { FormError } from '@/components/ui/form/form-error';
import { Dialog, DialogClose } from '@/components/ui/overlay/dialog';
import { toastError, toastSuccess, toastUndo } from '@/components/ui/overlay/toaster';
import { counted } from '@/domain/text/counted';
import { useTRPC } from '@/trpc/client';
import { type ReadError, readError } from '@/trpc/errors';

const titles = { report: 'Report the result', enter: 'Enter the result', rule: 'Rule on the result' } as const;

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
  const refresh = useRefreshMatches();
  const [value, setValue] = useState(() => textOf(match));
  // Staff decides about what they see: a match that changed since then is refused.
  const [version] = useState(match.version);
  const [invalid, setInvalid] = useState<string>();
  const [failure, setFailure] = useState<ReadError | null>(null);
  const onError = (error: unknown) => setFailure(readError(error));
  const reopen = useMutation(trpc.matches.reopen.mutationOptions({ onSuccess: refresh }));
  const report = useMutation(
    trpc.matches.report.mutationOptions({
      onError,
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
  const resolve = useMutation(
    trpc.matches.resolve.mutationOptions({
      onError,
      onSuccess: () => {
        refresh();
        toastUndo(`M${match.number} is decided`, () =>
          reopen
            .mutateAsync({ matchId: match.id, reason: 'Undone right after it was decided' })
            .catch((error: unknown) => toastError(error, 'Could not undo')),
        );
        onClose();
      },
    }),
  );
  const isPending = report.isPending || resolve.isPending;

  function submit() {
    if (isPending) return;
    const { result, error } = readResult(match, value);
    setInvalid(error ?? undefined);
    setFailure(null);
    if (result === null) return;
    if (purpose === 'report') report.mutate({ matchId: match.id, ...result });
    else resolve.mutate({ matchId: match.id, version, ...result });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={titles[purpose]}
      description={`M${match.number}: ${pairing(match)}. ${match.bestOf === 1 ? 'One game' : `Best of ${counted(match.bestOf, 'game')}`}.`}
      footer={
        <div className="grid w-full grid-cols-1 gap-3">
          <FormError error={failure} />
          <div className="flex justify-end gap-3">
            <DialogClose>
              <Button>Cancel</Button>
            </DialogClose>
            <Button variant="primary" type="submit" form="match-result" loading={isPending}>
              {purpose === 'report' ? 'Report result' : purpose === 'rule' ? 'Rule' : 'Save result'}
            </Button>
          </div>
        </div>
      }
    >
      <form
        id="match-result"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <ResultFields
          match={match}
          value={value}
          error={invalid}
          onChange={(next) => {
            setInvalid(undefined);
            setValue(next);
          }}
        />
      </form>
    </Dialog>
  );
}
