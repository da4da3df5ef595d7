/** The selected ids, and the row a range starts from. */
export type Selection = { ids: ReadonlySet<string>; anchor: string | null };

export const emptySelection: Selection = { ids: new Set(), anchor: null };

/** Adds or removes one row, which becomes the start of the next range. */
export function toggle({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/** Adds the visible rows from the anchor to `id`; `id` alone if the anchor is not visible. */
export function selectRange(selection: Selection, id: string, visible: readonly string[]): Selection {
  const to = visible.indexOf(id);
  const from = selection.anchor === null ? -1 : visible.indexOf(selection.anchor);
  if (to < 0) return selection;
  if (from < 0) return { ids: new Set([...selection.ids, id]), anchor: id };
  const range = visible.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set([...selection.ids, ...range]), anchor: selection.anchor };
}

/** Selects all visible rows, or deselects them if all are selected. Rows hidden by filters keep their state. */
export function toggleAll(selection: Selection, visible: readonly string[]): Selection {
  const all = visible.length > 0 && visible.every((id) => selection.ids.has(id));
  const ids = new Set(selection.ids);
  for (const id of visible) {
    if (all) ids.delete(id);
    else ids.add(id);
  }
  return { ids, anchor: null };
}

/** The selection without rows that no longer exist; the same object if all exist. */
export function withoutMissing(selection: Selection, existing: ReadonlySet<string>): Selection {
  const { ids, anchor } = selection;
  if ([...ids].every((id) => existing.has(id))) return selection;
  return {
    ids: new Set([...ids].filter((id) => existing.has(id))),
    anchor: anchor !== null && existing.has(anchor) ? anchor : null,
  };
}

/** The row `step` rows from `active`, within `visible`; the first row without an active one. */
export function moveCursor(active: string | null, visible: readonly string[], step: number): string | null {
  const at = active === null ? -1 : visible.indexOf(active);
  if (at < 0) return visible[0] ?? null;
  return visible[Math.min(Math.max(at + step, 0), visible.length - 1)] ?? null;
}
