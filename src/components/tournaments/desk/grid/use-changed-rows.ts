'use client';

import { useEffect, useRef, useState } from 'react';
import { rowSignature } from '@/components/tournaments/desk/grid/views';
import type { DeskRow } from '@/components/tournaments/desk/queries';

const highlightMs = 2_500;
const none: ReadonlySet<string> = new Set();

/** How long after an action of this page a change of the row still counts as its own. */
const ownMs = 5_000;

/**
 * The rows that someone else added or changed in the last two and a half seconds. `ownIds`: rows with an action of this
 * page in progress.
 */
export function useChangedRows(
  rows: readonly DeskRow[],
  complete: boolean,
  ownIds: ReadonlySet<string>,
): ReadonlySet<string> {
  const [changed, setChanged] = useState(none);
  const known = useRef<Map<string, string> | null>(null);
  /** Until when changes of each row count as this page's own. */
  const own = useRef(new Map<string, number>());

  useEffect(() => {
    for (const id of ownIds) own.current.set(id, Number.POSITIVE_INFINITY);
    return () => {
      for (const id of ownIds) own.current.set(id, performance.now() + ownMs);
    };
  }, [ownIds]);

  useEffect(() => {
    if (!complete) return;
    const now = new Map(rows.map((row) => [row.id, rowSignature(row)]));
    const before = known.current;
    known.current = now;
    if (!before) return;
    const isOwn = (id: string) => (own.current.get(id) ?? 0) > performance.now();
    const others = [...now].filter(([id, sign]) => before.get(id) !== sign && !isOwn(id)).map(([id]) => id);
    if (others.length > 0) setChanged((shown) => new Set([...shown, ...others]));
  }, [rows, complete]);

  useEffect(() => {
    if (changed.size === 0) return;
    const timer = setTimeout(() => setChanged(none), highlightMs);
    return () => clearTimeout(timer);
  }, [changed]);

  return changed;
}
