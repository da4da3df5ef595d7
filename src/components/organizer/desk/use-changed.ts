'use client';

import { useEffect, useRef, useState } from 'react';
import { signOf } from '@/components/organizer/desk/rows';
import type { DeskRow } from '@/components/organizer/queries';

const shownMs = 2_500;
const none: ReadonlySet<string> = new Set();

/**
 * The rows that changed or came without this page having asked for it, for two and a half seconds. `mine`: rows that this
 * page is working on; their next change is its own.
 */
export function useChanged(
  rows: readonly DeskRow[],
  complete: boolean,
  mine: ReadonlySet<string>,
): ReadonlySet<string> {
  const [changed, setChanged] = useState(none);
  const known = useRef<Map<string, string> | null>(null);
  const own = useRef(new Set<string>());

  useEffect(() => {
    for (const id of mine) own.current.add(id);
  }, [mine]);

  useEffect(() => {
    if (!complete) return;
    const now = new Map(rows.map((row) => [row.id, signOf(row)]));
    const before = known.current;
    known.current = now;
    if (!before) return;
    const others = [...now].filter(([id, sign]) => before.get(id) !== sign && !own.current.has(id)).map(([id]) => id);
    if (mine.size === 0) own.current.clear();
    if (others.length > 0) setChanged((shown) => new Set([...shown, ...others]));
  }, [rows, complete, mine]);

  useEffect(() => {
    if (changed.size === 0) return;
    const timer = setTimeout(() => setChanged(none), shownMs);
    return () => clearTimeout(timer);
  }, [changed]);

  return changed;
}
