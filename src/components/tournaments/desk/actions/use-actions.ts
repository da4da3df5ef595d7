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

/** Entrants that one call decides on: enough to be quick, few enough to show progress and to stop. */
const batchSize = 100;

export type Run = { action: DeskAction; total: number; done: number; refused: Refusal[]; running: boolean };
type Change = Partial<Pick<DeskRow, 'registrationStatus' | 'status' | 'waitlistPosition' | 'seed'>>;

/** What is shown before the server has answered, where it can hardly refuse. */
const optimisticChanges: Partial<Record<DeskAction, Change>> = {
  check_in: { status: 'checked_in' },
  undo_check_in: { status: 'registered' },
  mark_no_show: { status: 'no_show', seed: null },
  reject: { registrationStatus: 'rejected' },
  reconsider: { registrationStatus: 'pending', status: 'registered', seed: null },
  disqualify: { status: 'disqualified', seed: null },
};

/** Does things to entrants, many in few calls; counts, lists refusals, and offers to take back what can be. */
export function useActions(
  tournamentId: string,
  {
    patch,
    putBack,
    readAgain,
  }: {
    patch: (ids: ReadonlySet<string>, change: Change) => void;
    putBack: (rows: readonly DeskRow[]) => void;
    readAgain: () => void;
  },
) {
  const client = useTRPCClient();
  const [run, setRun] = useState<Run | null>(null);
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const stopped = useRef(false);
  const undoAction = useRef<(() => void) | null>(null);

  const lastRun = useRef<Promise<unknown>>(Promise.resolve());

  /** One after the other, so that no click is lost. @returns who it was done to */
  function runAction(...order: Parameters<typeof runBatches>): Promise<Set<string>> {
    const done = lastRun.current.then(() => runBatches(...order));
    lastRun.current = done;
    return done;
  }

  /** A refusal of one does not stop the others; it throws nothing. */
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
    if (change) patch(new Set(names.keys()), change);
    try {
      for (let from = 0; from < rows.length && !stopped.current; from += batchSize) {
        const participantIds = rows.slice(from, from + batchSize).map(({ id }) => id);
        const answer = await client.participants.bulk.mutate({ tournamentId, action, participantIds, reason });
        for (const id of answer.done) done.add(id);
        for (const { id, code, message } of answer.refused) {
          refused.push({ id, code, message, name: names.get(id) ?? id });
        }
        reportProgress(true);
      }
      showResult(action, rows, done, refused, undoing);
    } catch (error) {
      const { reason: code, message } = readError(error);
      const { label: word } = actionDefinitions[action];
      const [only] = rows;
      const one = rows.length === 1 && only ? `${word} ${only.name}: not done` : null;
      toastError(error, one ?? `${word}: stopped after ${done.size} of ${rows.length}`);
      for (const { id, name } of rows) if (!done.has(id)) refused.push({ id, name, code, message });
    } finally {
      // Reading again may fail for the same reason: nobody shall look as if it had been done.
      if (change) putBack(rows.filter(({ id }) => !done.has(id)));
      reportProgress(false);
      setBusy(new Set());
      readAgain();
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
    const concerned = rows.filter(({ id }) => done.has(id));
    const { pastLabel: word, undo } = actionDefinitions[action];
    const [only] = refused;
    if (only && rows.length === 1) toastError(new Error(only.message), `${only.name}: ${only.message}`);
    if (concerned.length === 0) return;
    const { title } = refusalSummary(refused, rows.length);
    const said = `${participantLabel(concerned)} ${word}${refused.length > 0 ? `, ${title}` : ''}`;
    if (!undo || undoing) return toastSuccess(said);
    undoAction.current = () => void runAction(undo, concerned, undefined, true);
    toastUndo(said, () => undoAction.current?.());
  }

  return {
    run,
    busy,
    act: runAction,
    /** Takes back what was done last, where that can be. @returns whether there was anything */
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
