'use client';

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { MatchFormDialog } from '@/components/matches/actions/match-form-dialog';
import { nameIn } from '@/components/matches/actions/match-names';
import { useRefreshMatches } from '@/components/matches/actions/use-refresh-matches';
import type { Match } from '@/components/matches/types';
import { RadioCards } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';
import { toastError, toastUndo } from '@/components/ui/overlay/toaster';
import { useTRPC } from '@/trpc/client';

const both = 'both';

/** Forfeits a match for one side or both. */
export function ForfeitDialog({
  match,
  noShow = false,
  onClose,
}: {
  match: Match;
  /** Asks who did not show up. */
  noShow?: boolean;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const refresh = useRefreshMatches();
  const [who, setWho] = useState('');
  const [reason, setReason] = useState(noShow ? 'No-show' : '');
  const [invalid, setInvalid] = useState<string>();
  const reopen = useMutation(trpc.matches.reopen.mutationOptions({ onSuccess: refresh }));
  const forfeit = useMutation(
    trpc.matches.forfeit.mutationOptions({
      onSuccess: () => {
        refresh();
        toastUndo(`M${match.number} is forfeited`, () =>
          reopen
            .mutateAsync({ matchId: match.id, reason: 'Undone right after the forfeit' })
            .catch((error: unknown) => toastError(error, 'Could not undo')),
        );
        onClose();
      },
    }),
  );
  const ids = match.slots.flatMap(({ participantId }) => participantId ?? []);

  function submit() {
    if (who === '') return setInvalid(noShow ? 'Choose who did not show up.' : 'Choose who forfeits.');
    const participantIds = who === both ? ids : [who];
    forfeit.mutate({ matchId: match.id, participantIds, reason: reason.trim() || undefined });
  }

  return (
    <MatchFormDialog
      match={match}
      title={noShow ? 'Record a no-show' : 'Forfeit the match'}
      error={forfeit.error}
      pending={forfeit.isPending}
      submitLabel="Forfeit"
      submitVariant="danger"
      onSubmit={submit}
      onClose={onClose}
    >
      <Field group required label={noShow ? 'Who did not show up?' : 'Who forfeits?'} error={invalid}>
        <RadioCards
          columns={1}
          value={who}
          onValueChange={(next) => {
            setWho(next);
            setInvalid(undefined);
          }}
          options={[
            ...ids.map((id, at) => ({
              value: id,
              label: <bdi className="wrap-anywhere">{nameIn(match, id)}</bdi>,
              hint: (
                <>
                  <bdi>{nameIn(match, ids[at === 0 ? 1 : 0] ?? null)}</bdi> wins the match.
                </>
              ),
            })),
            { value: both, label: 'Both', hint: 'Nobody wins. The next match has a bye.' },
          ]}
        />
      </Field>
      <Field label="Reason" hint="Kept in the audit log and shown to both sides.">
        <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </MatchFormDialog>
  );
}
