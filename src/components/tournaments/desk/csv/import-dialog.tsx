'use client';

import { useMutation } from '@tanstack/react-query';
import { Download, FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { downloadCsv } from '@/components/tournaments/desk/csv/download-csv';
import { ImportPreview } from '@/components/tournaments/desk/csv/import-preview';
import type { ImportResult, Tournament } from '@/components/tournaments/desk/queries';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Textarea } from '@/components/ui/form/input';
import { Dialog } from '@/components/ui/overlay/dialog';
import { toastError } from '@/components/ui/overlay/toaster';
import { ErrorNote } from '@/components/ui/page/error-state';
import { counted } from '@/domain/text/counted';
import { useTRPC, useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** The server's limit, in characters. */
const maxCsvLength = 900_000;

/** Imports participants from a file or pasted text: previews the result of every line, then imports the valid ones. */
export function ImportDialog({
  tournament,
  onClose,
  onChanged,
}: {
  tournament: Tournament;
  onClose: () => void;
  onChanged: () => void;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const file = useRef<HTMLInputElement>(null);
  const [csv, setCsv] = useState('');
  const [fileError, setFileError] = useState<string>();
  const [shown, setShown] = useState<{ result: ImportResult; committed: boolean } | null>(null);
  const { id: tournamentId, slug, teamSize } = tournament;
  const preview = useMutation(
    trpc.participants.importPreview.mutationOptions({ onSuccess: (result) => setShown({ result, committed: false }) }),
  );
  const commit = useMutation(
    trpc.participants.importCommit.mutationOptions({
      onSuccess: (result) => setShown({ result, committed: true }),
      onSettled: onChanged,
    }),
  );
  const error = preview.error ?? commit.error;
  const refusal = error ? readError(error) : null;
  const busy = preview.isPending || commit.isPending;
  const importable = shown ? shown.result.totals.approved + shown.result.totals.waitlisted : 0;

  async function read(chosen: File | undefined) {
    if (!chosen) return;
    if (chosen.size > maxCsvLength * 2) return setFileError('This file is larger than 1.8 MB. Import it in parts.');
    setFileError(undefined);
    setCsv((await chosen.text()).replace(/^\uFEFF/, ''));
  }

  function showPreview() {
    if (csv.trim() === '') return setFileError('Choose a file or paste the data first.');
    if (csv.length > maxCsvLength)
      return setFileError('Use at most 900,000 characters; import a longer list in parts.');
    setFileError(undefined);
    commit.reset();
    preview.mutate({ tournamentId, csv });
  }

  async function template() {
    try {
      downloadCsv(`${slug}-template.csv`, (await client.participants.importTemplate.query({ tournamentId })).csv);
    } catch (thrown) {
      toastError(thrown);
    }
  }

  const footer = shown?.committed ? (
    <Button variant="primary" onClick={onClose}>
      Done
    </Button>
  ) : shown ? (
    <>
      <Button disabled={busy} onClick={() => setShown(null)}>
        Back
      </Button>
      <Button
        variant="primary"
        loading={commit.isPending}
        disabled={importable === 0}
        onClick={() => commit.mutate({ tournamentId, csv })}
      >
        Import {counted(importable, 'participant')}
      </Button>
    </>
  ) : (
    <Button variant="primary" loading={preview.isPending} onClick={showPreview}>
      Preview
    </Button>
  );

  return (
    <Dialog
      open
      width="lg"
      onOpenChange={(open) => !open && !busy && onClose()}
      title="Import participants"
      description={
        shown
          ? undefined
          : teamSize === 1
            ? 'One player per line: an Email column, and a column for each question. Every player needs an account with a confirmed address.'
            : 'One team per line: Team, Captain email, Player emails, and Substitute emails, and a column for each question. Every player needs an account with a confirmed address.'
      }
      footer={footer}
    >
      <div className="grid grid-cols-1 gap-4">
        {refusal ? (
          <ErrorNote message={refusal.message} reason={refusal.reason} requestId={refusal.requestId}>
            {refusal.issues.map(({ path, message }) => (
              <p key={`${path} ${message}`}>{message}</p>
            ))}
          </ErrorNote>
        ) : null}
        {shown ? (
          <ImportPreview result={shown.result} committed={shown.committed} />
        ) : (
          <>
            <div className="flex flex-wrap gap-2">
              <input
                ref={file}
                type="file"
                accept=".csv,.tsv,.txt,text/csv,text/plain"
                aria-label="File to import"
                className="sr-only"
                tabIndex={-1}
                onChange={(event) => void read(event.target.files?.[0])}
              />
              <Button icon={<FileUp aria-hidden />} onClick={() => file.current?.click()}>
                Choose a file
              </Button>
              <Button variant="ghost" icon={<Download aria-hidden />} onClick={() => void template()}>
                Download template
              </Button>
            </div>
            <Field
              label="Or paste the data"
              required
              error={fileError}
              hint="Separate columns with commas, semicolons, or tabs. The first line names the columns."
            >
              <Textarea
                rows={10}
                value={csv}
                spellCheck={false}
                className="font-mono text-xs"
                placeholder={
                  teamSize === 1
                    ? 'Email\nada@example.org'
                    : 'Team,Captain email,Player emails\nOwls,ada@example.org,bo@example.org cy@example.org'
                }
                onChange={(event) => setCsv(event.target.value)}
              />
            </Field>
          </>
        )}
      </div>
    </Dialog>
  );
}
