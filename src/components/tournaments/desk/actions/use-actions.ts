'use client';

import { useRef, useState } from 'react';
import {
  actionDefinitions,
  participantLabel,
  type Refusal,
  refusalSummary,
} from '@/components/tournaments/desk/actions/actions';
import type { DeskAction, DeskRow } from '@/components/tournaments/desk/queries';
import { toastError, toastSuccess, toastUndo } from '@/components/ui/overlay/toaster';
import { useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';

/** Participants per call: enough to be fast, few enough to show progress and to stop in between. */
const batchSize = 100;

export type Run = { action: DeskAction; total: number; done: number; refused: Refusal[]; running: boolean };
type Change = Partial<Pick<DeskRow, 'registrationStatus' | 'status' | 'waitlistPosition' | 'seed'>>;

/** Changes shown before the server responds, for actions that rarely fail. */
const optimisticChanges: Partial<Record<DeskAction, Change>> = {
  check_in: { status: 'checked_in' },
  undo_check_in: { status: 'registered' },
  mark_no_show: { status: 'no_show', seed: null },
  reject: { registrationStatus: 'rejected' },
  reconsider: { registrationStatus: 'pending', status: 'registered', seed: null },
  disqualify: { status: 'disqualified', seed: null },
};

/** Runs actions on participants in batches, with progress, failures and undo. */
export function useActions(
  tournamentId: string,
  {
    patchRows,
    restoreRows,
    refresh,
  }: {
    patchRows: (ids: ReadonlySet<string>, change: Change) => void;
    restoreRows: (rows: readonly DeskRow[]) => void;
    refresh: () => void;
  },
) {
  const client = useTRPCClient();
  const [run, setRun] = useState<Run | null>(null);
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const stopped = useRef(false);
  const undoAction = useRef<(() => void) | null>(null);

  const lastRun = useRef<Promise<unknown>>(Promise.resolve());

  /** Queues the action behind the running one, so that no click is lost. @returns the ids it succeeded for */
  function runAction(...args: Parameters<typeof runBatches>): Promise<Set<string>> {
    const done = lastRun.current.then(() => runBatches(...args));
    lastRun.current = done;
    return done;
  }

  /** Continues with the others when one fails; never throws. */
  async function runBatches(
    action: DeskAction,
    rows: readonly DeskRow[],
    reason?: string,
    undoing = false,
  ): Promise<Set<string>> {
    const done = new Set<string>();
    if (rows.length === 0) return done;
    const names = new Map(rows.map(({ id, name }) => [id, name]));
    const refused: Refusal[] = [];
    const reportProgress = (running: boolean) =>
      setRun({ action, total: rows.length, done: done.size, refused: [...refused], running });
    stopped.current = false;
    undoAction.current = null;
    setBusy(new Set(names.keys()));
    reportProgress(true);
    const change = optimisticChanges[action];
    if (change) patchRows(new Set(names.keys()), change);
    try {
      for (let from = 0; from < rows.length && !stopped.current; from += batchSize) {
        const participantIds = rows.slice(from, from + batchSize).map(({ id }) => id);
        const response = await client.participants.bulk.mutate({ tournamentId, action, participantIds, reason });
        for (const id of response.done) done.add(id);
        for (const { id, code, message } of response.refused) {
          refused.push({ id, code, message, name: names.get(id) ?? id });
        }
        reportProgress(true);
      }
      showResult(action, rows, done, refused, undoing);
    } catch (error) {
      const { reason: code, message } = readError(error);
      const { progressLabel } = actionDefinitions[action];
      const [only] = rows;
      const title =
        rows.length === 1 && only
          ? `${progressLabel} failed for ${only.name}`
          : `${progressLabel} stopped after ${done.size} of ${rows.length}`;
      toastError(error, title);
      for (const { id, name } of rows) if (!done.has(id)) refused.push({ id, name, code, message });
    } finally {
      // Refetching may fail for the same reason; the rows must not look as if the action had succeeded.
      if (change) restoreRows(rows.filter(({ id }) => !done.has(id)));
      reportProgress(false);
      setBusy(new Set());
      refresh();
    }
    return done;
  }

  function showResult(
    action: DeskAction,
    rows: readonly DeskRow[],
    done: ReadonlySet<string>,
    refused: readonly Refusal[],
    undoing: boolean,
  ) {
    const succeeded = rows.filter(({ id }) => done.has(id));
    const { pastLabel, undo } = actionDefinitions[action];
    const [only] = refused;
    if (only && rows.length === 1) toastError(new Error(only.message), `${only.name}: ${only.message}`);
    if (succeeded.length === 0) return;
    const { title } = refusalSummary(refused, rows.length);
    const message = `${participantLabel(succeeded)} ${pastLabel}${refused.length > 0 ? `, ${title}` : ''}`;
    if (!undo || undoing) return toastSuccess(message);
    undoAction.current = () => void runAction(undo, succeeded, undefined, true);
    toastUndo(message, () => undoAction.current?.());
  }

  return {
    run,
    busy,
    runAction,
    /** Undoes the last action if possible. @returns whether there was one to undo */
    undoLast: () => {
      const undo = undoAction.current;
      undoAction.current = null;
      undo?.();
      return undo !== null;
    },
    stop: () => {
      stopped.current = true;
    },
    clear: () => setRun(null),
  };
}
