'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ban } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import type { Detection } from '@/components/anticheat/types';
import { ActionDialog } from '@/components/tournaments/desk/actions/action-dialog';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { Button } from '@/components/ui/form/button';
import { Select } from '@/components/ui/form/select';
import { toastError, toastUndo } from '@/components/ui/overlay/toaster';
import { QueryError } from '@/components/ui/page/query-error';
import { Skeleton } from '@/components/ui/page/skeleton';
import { useTRPC } from '@/trpc/client';

type Participant = Detection['participants'][number];

/** The reason that the player reads: what, and where; how it was found is for staff. */
function reasonFor({ rule, match }: Detection): string {
  return `Anti-cheat: ${rule.toLowerCase()}${match ? ` in M${match.number}` : ''}, confirmed by staff.`;
}

/** Disqualifies the player of a confirmed detection. `project` is the path of the project's dashboard. */
export function Disqualify({ detection, project }: { detection: Detection; project: string }) {
  const { participants } = detection;
  const [chosenId, setChosenId] = useState(participants[0]?.id);
  const chosen = participants.find(({ id }) => id === chosenId) ?? participants[0];
  return (
    <section aria-label="Disqualification" className="grid grid-cols-1 gap-3 rounded border bg-surface p-5">
      {participants.length > 1 ? (
        <Select
          aria-label="Tournament"
          value={chosen?.id}
          onValueChange={setChosenId}
          options={participants.map(({ id, name, tournamentName }) => ({
            value: id,
            label: tournamentName,
            hint: name,
          }))}
        />
      ) : null}
      {chosen ? (
        <Action key={chosen.id} detection={detection} participant={chosen} project={project} />
      ) : (
        <p className="text-muted">The player takes part in no current tournament, so there is nobody to disqualify.</p>
      )}
    </section>
  );
}

function Action({
  detection,
  participant,
  project,
}: {
  detection: Detection;
  participant: Participant;
  project: string;
}) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const { id: participantId, tournamentId, tournamentName } = participant;
  const query = useQuery(trpc.participants.read.queryOptions({ tournamentId, participantId }));
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.participants.pathKey() });
  const onError = (error: unknown) => {
    toastError(error);
    return refresh();
  };
  const reinstate = useMutation(trpc.participants.reinstate.mutationOptions({ onSuccess: refresh, onError }));
  const disqualify = useMutation(
    trpc.participants.disqualify.mutationOptions({
      onError,
      onSuccess: () => {
        toastUndo(`${participant.name} disqualified`, () => reinstate.mutate({ tournamentId, participantId }));
        return refresh();
      },
    }),
  );
  if (query.isError) return <QueryError title="The participant could not be loaded" query={query} />;
  if (query.isPending) return <Skeleton className="h-9 w-64" />;
  const row = query.data;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <bdi className="font-medium">{row.name}</bdi>
        <StatusBadge kind="participant" status={row.status} />
        <Link
          href={`${project}/tournaments/${tournamentId}`}
          className="underline decoration-line-strong underline-offset-4 hover:decoration-2"
        >
          <bdi>{tournamentName}</bdi>
        </Link>
      </p>
      {row.type === 'team' ? <p className="text-muted">A disqualification is for the whole team.</p> : null}
      {row.actions.includes('disqualify') ? (
        <Button
          variant="danger"
          icon={<Ban aria-hidden />}
          className="justify-self-start"
          loading={disqualify.isPending}
          onClick={() => setIsAsking(true)}
        >
          Disqualify
        </Button>
      ) : null}
      <ActionDialog
        pending={isAsking ? { action: 'disqualify', rows: [row], reason: reasonFor(detection) } : null}
        onClose={() => setIsAsking(false)}
        onDone={(_, reason = '') => {
          setIsAsking(false);
          disqualify.mutate({ tournamentId, participantId, reason });
        }}
      />
    </>
  );
}
