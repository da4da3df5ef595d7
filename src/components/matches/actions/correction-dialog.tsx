'use client';

import { keepPreviousData, queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { CorrectionPreview } from '@/components/matches/actions/correction-preview';
import { MatchFormDialog } from '@/components/matches/actions/match-form-dialog';
import { describeReport } from '@/components/matches/actions/match-names';
import { ResultFields } from '@/components/matches/actions/result-fields';
import { readResult, reportOf, type TypedResult, textOf } from '@/components/matches/actions/result-values';
import { useRefreshMatches } from '@/components/matches/actions/use-refresh-matches';
import type { Correction, Match } from '@/components/matches/types';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';
import { toastError, toastUndo } from '@/components/ui/overlay/toaster';
import { ErrorNote } from '@/components/ui/page/error-state';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { useTRPC, useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';

type Purpose = 'correct' | 'reopen';

/** A pause in typing after which the preview follows. */
const pauseMs = 250;
/** How often the preview follows a bracket that changes: every preview counts as a heavy call of the moderator. */
const refreshMs = 5_000;

const isSameEffect = (a: Correction, b: Correction) =>
  a.allowed === b.allowed && JSON.stringify(a.affected) === JSON.stringify(b.affected);

/**
 * What a change would do. Players change the bracket's version as often as they like, so it is no part of the key: the
 * preview of an earlier one stays and is read again after a while.
 */
export function previewOptions(key: readonly unknown[], version: number | undefined, read: () => Promise<Correction>) {
  return queryOptions({
    queryKey: ['correction', ...key],
    queryFn: async () => ({ correction: await read(), version }),
    refetchInterval: ({ state: { data } }) => (data && data.version !== version ? refreshMs : false),
    // A dialog that is opened again reads again.
    gcTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
  });
}

/** The typed result once nobody types; null while it is not one, or the one that the match has. */
function useSettledResult(match: Match, value: ReturnType<typeof textOf>): TypedResult | null {
  const { result } = readResult(match, value);
  const text = JSON.stringify(result);
  const [settled, setSettled] = useState<string>('null');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled === text ? result : null;
}

/**
 * Corrects or reopens a decided match. Beside the form stands what changes with it, match by match, before anything is
 * written; afterwards it can be taken back, with the results that it deleted.
 */
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
  const [initial] = useState(() => textOf(match));
  const [value, setValue] = useState(initial);
  const [reason, setReason] = useState('');
  const [moved, setMoved] = useState<Correction | null>(null);
  const [invalid, setInvalid] = useState<string>();
  const typed = useSettledResult(opened, value);
  const isUnchanged = opened.status === 'completed' && JSON.stringify(value) === JSON.stringify(initial);
  const result = purpose === 'reopen' ? null : typed;
  const hasPreview = purpose === 'reopen' || (result !== null && !isUnchanged);

  const send = (isPreview: boolean) => {
    const input = { matchId: opened.id, preview: isPreview, reason: reason.trim() || undefined };
    return purpose === 'reopen'
      ? client.matches.reopen.mutate(input)
      : client.matches.correct.mutate({ ...input, ...result, version: opened.version });
  };
  const preview = useQuery({
    ...previewOptions([opened.id, opened.version, purpose, result], bracket.data?.version, () => send(true)),
    enabled: hasPreview,
  });
  const shown = hasPreview ? preview.data?.correction : undefined;
  const undo = useMutation(trpc.matches.undoCorrection.mutationOptions({ onSuccess: refresh }));
  const applyChange = useMutation({
    /** @returns null when the bracket changed since the preview, so that there is another one to look at */
    mutationFn: async () => {
      const current = await send(true);
      if (shown && !isSameEffect(shown, current)) {
        setMoved(current);
        return null;
      }
      return send(false);
    },
    onSuccess: (answer) => {
      refresh();
      if (answer === null) return void preview.refetch();
      // Whatever the version is by then: players may report at once what was reopened by mistake.
      toastUndo(purpose === 'reopen' ? `M${opened.number} is open again` : `M${opened.number} is corrected`, () =>
        undo.mutateAsync({ matchId: opened.id }).catch((error: unknown) => toastError(error, 'Could not undo')),
      );
      onClose();
    },
  });

  const isPreviewed = shown !== undefined && !preview.isPlaceholderData;

  function submit() {
    if (purpose === 'correct') {
      const { error } = readResult(opened, value);
      const refusal = error ?? (isUnchanged ? 'This is the result it has already.' : null);
      setInvalid(refusal ?? undefined);
      if (refusal) return;
    }
    if (!shown && preview.isError) return void preview.refetch();
    // What is shown may be read again at this moment: the change itself compares it with the bracket.
    if (isPreviewed && shown.allowed) applyChange.mutate();
  }

  const loses = shown?.affected.some(({ losesResult }) => losesResult) ?? false;
  return (
    <MatchFormDialog
      match={opened}
      title={purpose === 'reopen' ? 'Reopen the match' : 'Correct the result'}
      about={`Result now: ${opened.status === 'forfeited' ? 'a forfeit' : describeReport(opened, opened)}.`}
      width="lg"
      error={applyChange.error}
      pending={applyChange.isPending}
      disabled={shown !== undefined && !shown.allowed}
      submitLabel={purpose === 'reopen' ? 'Reopen match' : 'Apply correction'}
      submitVariant={loses ? 'danger' : 'primary'}
      onSubmit={submit}
      onClose={onClose}
      aside={
        <section aria-label="What changes" aria-live="polite" className="grid min-w-0 grid-cols-1 content-start gap-3">
          <h3 className="label text-muted">What changes</h3>
          {moved && isPreviewed && !preview.isFetching ? (
            <p role="alert" className="rounded border border-line-strong bg-surface p-3">
              The bracket has changed since the preview. Nothing was applied. Look at the changes again.
            </p>
          ) : null}
          {hasPreview && preview.isError ? <ErrorNote message={readError(preview.error).message} /> : null}
          {shown ? (
            <CorrectionPreview
              match={opened}
              result={result && reportOf(opened, result)}
              correction={shown}
              bracket={bracket.data}
            />
          ) : hasPreview && !preview.isError ? (
            <SkeletonTable rows={2} label="Loading what changes" />
          ) : purpose === 'correct' ? (
            <p className="text-muted">
              Enter the right result. Every match that changes with it is listed here before you apply it.
            </p>
          ) : null}
        </section>
      }
    >
      {purpose === 'reopen' ? (
        <p>The result is deleted, and the match has to be played or decided again.</p>
      ) : (
        <ResultFields
          match={opened}
          value={value}
          error={invalid}
          onChange={(next) => {
            setInvalid(undefined);
            setMoved(null);
            applyChange.reset();
            setValue(next);
          }}
        />
      )}
      <Field label="Reason" hint="Kept in the audit log and shown to both sides.">
        <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </MatchFormDialog>
  );
}
