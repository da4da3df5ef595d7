'use client';

import { useMutation } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useRef, useState } from 'react';
import { readFile } from '@/components/tournaments/exchange/read-file';
import { tournamentHref } from '@/components/tournaments/manage/tournament-href';
import { Button } from '@/components/ui/form/button';
import { Dialog } from '@/components/ui/overlay/dialog';
import { toastSuccess } from '@/components/ui/overlay/toaster';
import { ErrorNote } from '@/components/ui/page/error-state';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

type Input = Parameters<ReturnType<typeof useImport>['mutate']>[0];

function useImport(projectSlug: string) {
  const trpc = useTRPC();
  const router = useRouter();
  return useMutation(
    trpc.matches.importFile.mutationOptions({
      onSuccess: (tournament) => {
        toastSuccess(`Imported ${tournament.name}`);
        router.push(tournamentHref(projectSlug, tournament));
      },
    }),
  );
}

/** Makes a new tournament of an exported file. */
export function ImportDialog({ project, onClose }: { project: { id: string; slug: string }; onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [fileError, setFileError] = useState<string | null>(null);
  const { mutate, isPending, isSuccess, error, reset } = useImport(project.slug);
  const refusal = error ? readError(error) : null;
  const isBusy = isPending || isSuccess;

  async function upload(file: File | undefined) {
    if (!file) return;
    reset();
    const read = await readFile(file);
    setFileError(read.ok ? null : read.error);
    // The server checks every field of the file.
    if (read.ok) mutate({ ...read.value, projectId: project.id } as Input);
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !isPending && onClose()}
      title="Import a tournament"
      description="Choose a file that was exported from Laurel. A new tournament is created in the state the file was in. Its participants have no accounts; you can give each of them a claim link."
      footer={
        <Button disabled={isPending} onClick={onClose}>
          Cancel
        </Button>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        {refusal || fileError ? (
          <ErrorNote
            message={fileError ?? refusal?.message ?? ''}
            reason={refusal?.reason}
            requestId={refusal?.requestId}
          >
            {refusal?.issues.slice(0, 10).map(({ path, message }) => (
              <p key={`${path} ${message}`}>
                {message === refusal.message ? 'In' : `${message} In`} <code className="text-xs">{path}</code>
              </p>
            ))}
          </ErrorNote>
        ) : null}
        <input
          ref={input}
          type="file"
          accept=".json,application/json"
          aria-label="File to import"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => {
            void upload(event.target.files?.[0]);
            // The same file can be chosen again once it is corrected.
            event.target.value = '';
          }}
        />
        <Button
          variant="primary"
          className="justify-self-start"
          icon={<FileUp aria-hidden />}
          loading={isBusy}
          onClick={() => input.current?.click()}
        >
          Choose a file
        </Button>
      </div>
    </Dialog>
  );
}
