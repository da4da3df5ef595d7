'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ParticipantOrder } from '@/components/brackets/participant-order';
import { openingOrders } from '@/components/brackets/tables/tie-orders';
import type { StandingsTable } from '@/components/brackets/types';
import { Button } from '@/components/ui/form/button';
import { Field } from '@/components/ui/form/field';
import { Textarea } from '@/components/ui/form/input';
import { Dialog } from '@/components/ui/overlay/dialog';
import { ErrorNote } from '@/components/ui/page/error-state';
import { QueryError } from '@/components/ui/page/query-error';
import { SkeletonTable } from '@/components/ui/page/skeleton';
import { useTRPC } from '@/trpc/client';
import { readError } from '@/trpc/errors';

const title = 'Decide the tie';
const description =
  'These participants are equal on every tie-break. Put the best first. Everyone can read the reason.';

type Where = { tournamentId: string; stageId: string; onClose: () => void };

/** Orders the tied participants of a group, who may be on several pages of its table. @param group its number */
export function TieDialog({ group, ...where }: Where & { group: number }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.matches.standings.queryOptions({ tournamentId: where.tournamentId }));
  const found = query.data?.stages
    .find(({ id }) => id === where.stageId)
    ?.groups.find(({ number }) => number === group);
  if (found) return <TieForm {...where} group={found} />;
  return (
    <Dialog open onOpenChange={(open) => !open && where.onClose()} title={title} description={description}>
      {query.error ? (
        <QueryError title="The standings could not be loaded" query={query} />
      ) : (
        <SkeletonTable rows={4} label="Loading the tied participants" />
      )}
    </Dialog>
  );
}

/** Orders the tied participants of a group, by dragging or with buttons, and asks for the reason. */
function TieForm({ tournamentId, stageId, group, onClose }: Where & { group: StandingsTable['groups'][number] }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [orders, setOrders] = useState(() => openingOrders(group));
  const [reason, setReason] = useState(group.ruling?.reason ?? '');
  const [isMissing, setIsMissing] = useState(false);
  const onSuccess = async () => {
    await queryClient.invalidateQueries({ queryKey: trpc.matches.pathKey() });
    onClose();
  };
  const save = useMutation(trpc.matches.ruleTie.mutationOptions({ onSuccess }));
  const withdraw = useMutation(trpc.matches.withdrawRuling.mutationOptions({ onSuccess }));
  const error = save.error ?? withdraw.error;
  const refusal = error ? readError(error) : null;
  const isBusy = save.isPending || withdraw.isPending;
  const names = new Map(group.rows.map(({ participantId, name }) => [participantId, name]));
  const where = { tournamentId, stageId, group: group.number };

  function submit() {
    if (reason.trim() === '') return setIsMissing(true);
    save.mutate({ ...where, order: orders.flat(), reason: reason.trim() });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !isBusy && onClose()}
      title={title}
      description={description}
      footer={
        <>
          {group.ruling ? (
            <Button disabled={isBusy} loading={withdraw.isPending} onClick={() => withdraw.mutate(where)}>
              Take it back
            </Button>
          ) : null}
          {orders.length > 0 ? (
            <Button variant="primary" disabled={isBusy} loading={save.isPending} onClick={submit}>
              Save the order
            </Button>
          ) : null}
        </>
      }
    >
      <div className="grid grid-cols-1 gap-5">
        {refusal ? <ErrorNote message={refusal.message} reason={refusal.reason} requestId={refusal.requestId} /> : null}
        {orders.length === 0 ? <p>Nobody in this table is tied any more, so the decision has no effect.</p> : null}
        {orders.map((order, at) => (
          <ParticipantOrder
            key={order.toSorted().join()}
            label={orders.length > 1 ? `Tie ${at + 1}` : 'Tied participants'}
            order={order}
            names={names}
            onChange={(changed) => setOrders((all) => all.with(at, changed))}
          />
        ))}
        {orders.length > 0 ? (
          <Field label="Reason" required error={isMissing && reason.trim() === '' ? 'Say why.' : undefined}>
            <Textarea
              rows={3}
              maxLength={500}
              value={reason}
              placeholder="Ana won the tie-break game"
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
        ) : null}
      </div>
    </Dialog>
  );
}
