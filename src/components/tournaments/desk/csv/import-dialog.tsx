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
import { useTRPC, useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** What the server takes at once. */
const maxCsvLength = 900_000;

/** Brings a list of entrants in: a file or pasted lines, what would become of each, then the lines that can enter. */
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
  const [fault, setFault] = useState<string>();
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
  const enterable = shown ? shown.result.totals.approved + shown.result.totals.waitlisted : 0;

  async function read(chosen: File | undefined) {
    if (!chosen) return;
    if (chosen.size > maxCsvLength * 2) return setFault('This file is larger than 1.8 MB. Import it in parts.');
    setFault(undefined);
    setCsv((await chosen.text()).replace(/^\uFEFF/, ''));
  }

  function look() {
    if (csv.trim() === '') return setFault('Choose a file or paste lines first.');
    if (csv.length > maxCsvLength) return setFault('Use at most 900,000 characters; import a longer list in parts.');
    setFault(undefined);
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
        disabled={enterable === 0}
        onClick={() => commit.mutate({ tournamentId, csv })}
      >
        {enterable === 1 ? 'Import 1 entrant' : `Import ${enterable} entrants`}
      </Button>
    </>
  ) : (
    <Button variant="primary" loading={preview.isPending} onClick={look}>
      Preview
    </Button>
  );

  return (
    <Dialog
      open
      width="lg"
      onOpenChange={(open) => !open && !busy && onClose()}
      title="Import entrants"
      description={
        shown
          ? undefined
          : teamSize === 1
            ? 'One line a player: a column E-mail, and one for each question. Everyone needs an account.'
            : 'One line a team: Team, Captain e-mail, Player e-mails and Substitute e-mails, and a column for each question. Everyone needs an account.'
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
                Download a template
              </Button>
            </div>
            <Field
              label="Or paste the lines"
              required
              error={fault}
              hint="Comma, semicolon or tab; the first line names the columns."
            >
              <Textarea
                rows={10}
                value={csv}
                spellCheck={false}
                className="font-mono text-xs"
                placeholder={
                  teamSize === 1
                    ? 'E-mail\nada@example.org'
                    : 'Team,Captain e-mail,Player e-mails\nOwls,ada@example.org,bo@example.org cy@example.org'
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
