'use client';

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { MatchFormDialog } from '@/components/matches/actions/match-form-dialog';
import { describeReport } from '@/components/matches/actions/match-names';
import { useRefreshMatches } from '@/components/matches/actions/use-refresh-matches';
import { ChosenScreenshots, ScreenshotButton } from '@/components/matches/thread/screenshot-field';
import { useScreenshots } from '@/components/matches/thread/use-screenshots';
import type { Match } from '@/components/matches/types';
import { Field } from '@/components/ui/form/field';
import { Textarea } from '@/components/ui/form/input';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { maxMessageLength } from '@/domain/brackets/thread';
import { useTRPC } from '@/trpc/client';

/** Disputes what the opponent reported, with a reason and screenshots for the moderators. */
export function DisputeDialog({ match, onClose }: { match: Match; onClose: () => void }) {
  const trpc = useTRPC();
  const refresh = useRefreshMatches();
  const [reason, setReason] = useState('');
  const [invalid, setInvalid] = useState<string>();
  const screenshots = useScreenshots(match.id);
  const dispute = useMutation(
    trpc.matches.dispute.mutationOptions({
      onSuccess: () => {
        refresh();
        toastSuccess('Result disputed', 'A moderator will decide.');
        onClose();
      },
    }),
  );

  function submit() {
    if (reason.trim() === '') return setInvalid('Say what is wrong.');
    dispute.mutate({ matchId: match.id, reason: reason.trim(), mediaFileIds: screenshots.mediaFileIds });
  }

  return (
    <MatchFormDialog
      match={match}
      title="Dispute the result"
      error={dispute.error}
      pending={dispute.isPending}
      disabled={screenshots.isUploading}
      submitLabel="Dispute"
      submitVariant="danger"
      onSubmit={submit}
      onClose={onClose}
    >
      {match.report ? (
        <p className="text-muted wrap-anywhere">Reported: {describeReport(match, match.report)}.</p>
      ) : null}
      <Field label="What is wrong?" required error={invalid} hint="Moderators and your opponent can read this.">
        <Textarea
          autoFocus
          rows={3}
          dir="auto"
          maxLength={maxMessageLength}
          value={reason}
          onChange={(event) => {
            setReason(event.target.value);
            setInvalid(undefined);
          }}
          onPaste={(event) => {
            if (screenshots.add(event.clipboardData.files) > 0) event.preventDefault();
          }}
        />
      </Field>
      <ChosenScreenshots screenshots={screenshots} />
      <div className="flex flex-wrap items-center gap-3">
        <ScreenshotButton screenshots={screenshots} />
        <span className="text-xs text-faint">A screenshot of the final score settles most disputes.</span>
      </div>
    </MatchFormDialog>
  );
}
