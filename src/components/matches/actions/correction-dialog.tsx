'use client';

import { useMutation, useQuery } from '@tanstack/react-query';
import { ChevronLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { CorrectionPreview } from '@/components/matches/actions/correction-preview';
import { describeReport, pairing } from '@/components/matches/actions/match-names';
import { ResultFields } from '@/components/matches/actions/result-fields';
import { readResult, reportOf, type TypedResult, textOf } from '@/components/matches/actions/result-values';
import { useRefreshMatches } from '@/components/matches/actions/use-refresh-matches';
import type { Correction, Match } from '@/components/matches/types';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { FormError } from '@/components/ui/form/form-error';
import { Input } from '@/components/ui/form/input';
import { Dialog, DialogClose } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { useTRPC, useTRPCClient } from '@/trpc/client';
import { type ReadError, readError } from '@/trpc/errors';

type Purpose = 'correct' | 'reopen';

const isSameEffect = (a: Correction, b: Correction) =>
  a.allowed === b.allowed && JSON.stringify(a.affected) === JSON.stringify(b.affected);

/** Corrects or reopens a decided match: shows every match that changes before anything is written. */
export function CorrectionDialog({
  match,
  tournamentId,
  purpose,
  onClose,
}: {
  match: Match;
  tournamentId: string;
  purpose: Purpose;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const refresh = useRefreshMatches();
  const bracket = useQuery(trpc.matches.bracket.queryOptions({ tournamentId }));
  // The match as it was opened: an update from elsewhere must not change the form or the version below it.
  const [opened] = useState(match);
  const [value, setValue] = useState(() => textOf(opened));
  const [reason, setReason] = useState('');
  const [result, setResult] = useState<TypedResult>();
  const [preview, setPreview] = useState<Correction | null>(null);
  const [hasMoved, setHasMoved] = useState(false);
  const [invalid, setInvalid] = useState<string>();
  const [failure, setFailure] = useState<ReadError | null>(null);

  const send = (isPreview: boolean, given: TypedResult | undefined) => {
    const input = { matchId: opened.id, preview: isPreview, reason: reason.trim() || undefined };
    return purpose === 'reopen'
      ? client.matches.reopen.mutate(input)
      : client.matches.correct.mutate({ ...input, ...given, version: opened.version });
  };
  const handlers = {
    onMutate: () => setFailure(null),
    onError: (error: unknown) => setFailure(readError(error)),
  };
  const ask = useMutation({
    mutationFn: (given: TypedResult | undefined) => send(true, given),
    ...handlers,
    onSuccess: (answer) => {
      setPreview(answer);
      setHasMoved(false);
    },
  });
  const applyChange = useMutation({
    /** @returns null when the bracket changed since the preview, so that there is another one to look at */
    mutationFn: async () => {
      const current = await send(true, result);
      if (preview && !isSameEffect(preview, current)) {
        setPreview(current);
        setHasMoved(true);
        return null;
      }
      return send(false, result);
    },
    ...handlers,
    onSuccess: (answer) => {
      refresh();
      if (answer === null) return;
      toastSuccess(purpose === 'reopen' ? `M${opened.number} is open again` : `M${opened.number} is corrected`);
      onClose();
    },
  });

  // A reopening needs nothing typed, so its preview loads at once.
  const askedOnce = useRef(false);
  const { mutate: askNow } = ask;
  useEffect(() => {
    if (purpose !== 'reopen' || askedOnce.current) return;
    askedOnce.current = true;
    askNow(undefined);
  }, [purpose, askNow]);

  function showPreview() {
    if (ask.isPending) return;
    const read = readResult(opened, value);
    setInvalid(read.error ?? undefined);
    if (read.result === null) return;
    setResult(read.result);
    ask.mutate(read.result);
  }

  const isEditing = purpose === 'correct' && preview === null;
  const verb = purpose === 'reopen' ? 'Reopen match' : 'Apply correction';
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !applyChange.isPending && onClose()}
      title={purpose === 'reopen' ? 'Reopen the match' : 'Correct the result'}
      description={`M${opened.number}: ${pairing(opened)}. Current result: ${
        opened.status === 'forfeited' ? 'forfeit' : describeReport(opened, opened)
      }.`}
      width={isEditing ? 'md' : 'lg'}
      footer={
        <div className="grid w-full grid-cols-1 gap-3">
          <FormError error={failure} />
          <div className="flex flex-wrap justify-end gap-3">
            {purpose === 'correct' && preview ? (
              <Button
                className="mr-auto"
                icon={<ChevronLeft aria-hidden />}
                disabled={applyChange.isPending}
                onClick={() => {
                  setPreview(null);
                  setFailure(null);
                }}
              >
                Change the result
              </Button>
            ) : (
              <DialogClose>
                <Button>Cancel</Button>
              </DialogClose>
            )}
            {isEditing ? (
              <Button variant="primary" type="submit" form="match-correction" loading={ask.isPending}>
                Show what changes
              </Button>
            ) : (
              <Button
                variant={preview && preview.affected.length > 0 ? 'danger' : 'primary'}
                disabled={!preview?.allowed}
                loading={applyChange.isPending}
                onClick={() => applyChange.mutate()}
              >
                {verb}
              </Button>
            )}
          </div>
        </div>
      }
    >
      {isEditing ? (
        <form
          id="match-correction"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            showPreview();
          }}
        >
          <ResultFields
            match={opened}
            value={value}
            error={invalid}
            onChange={(next) => {
              setInvalid(undefined);
              setValue(next);
            }}
          />
        </form>
      ) : (
        <div className="grid grid-cols-1 gap-5">
          {hasMoved ? (
            <p role="alert" className="rounded border border-line-strong bg-surface p-3">
              The bracket has changed since this preview. Nothing was applied. Look at the changes again.
            </p>
          ) : null}
          {purpose === 'correct' && result ? (
            <p className="wrap-anywhere">
              New result: <span className="font-medium">{describeReport(opened, reportOf(opened, result))}</span>
            </p>
          ) : null}
          {purpose === 'reopen' ? <p>The result is deleted, and the match has to be played or decided again.</p> : null}
          {preview ? (
            <>
              <CorrectionPreview number={opened.number} correction={preview} bracket={bracket.data} />
              {preview.allowed ? (
                <Field label="Reason" hint="Kept in the audit log.">
                  <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
                </Field>
              ) : null}
            </>
          ) : ask.isPending ? (
            <SkeletonTable label="Loading what changes" />
          ) : null}
        </div>
      )}
    </Dialog>
  );
}
