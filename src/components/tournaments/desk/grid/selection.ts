/** Who is selected, and from where a range is drawn. */
export type Selection = { ids: ReadonlySet<string>; anchor: string | null };

export const emptySelection: Selection = { ids: new Set(), anchor: null };

/** Adds or takes one out; ranges are drawn from it from now on. */
export function toggle({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/** Everyone shown from the anchor to `id`, beside who was selected; without an anchor in sight, `id` alone. */
export function selectRange(selection: Selection, id: string, shown: readonly string[]): Selection {
  const to = shown.indexOf(id);
  const from = selection.anchor === null ? -1 : shown.indexOf(selection.anchor);
  if (to < 0) return selection;
  if (from < 0) return { ids: new Set([...selection.ids, id]), anchor: id };
  const range = shown.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set([...selection.ids, ...range]), anchor: selection.anchor };
}

/** Selects everyone shown, or lets them go when they all are. Who is filtered away stays as they were. */
export function toggleAll(selection: Selection, shown: readonly string[]): Selection {
  const all = shown.length > 0 && shown.every((id) => selection.ids.has(id));
  const ids = new Set(selection.ids);
  for (const id of shown) {
    if (all) ids.delete(id);
    else ids.add(id);
  }
  return { ids, anchor: null };
}

/** Lets go of who is not there any more; the same object when everyone is. */
export function withoutMissing(selection: Selection, present: ReadonlySet<string>): Selection {
  const { ids, anchor } = selection;
  if ([...ids].every((id) => present.has(id))) return selection;
  return {
    ids: new Set([...ids].filter((id) => present.has(id))),
    anchor: anchor !== null && present.has(anchor) ? anchor : null,
  };
}

/** Where the cursor goes from `active` by `step`; the first row when it stood nowhere. Stays within `shown`. */
export function moveCursor(active: string | null, shown: readonly string[], step: number): string | null {
  const at = active === null ? -1 : shown.indexOf(active);
  if (at < 0) return shown[0] ?? null;
  return shown[Math.min(Math.max(at + step, 0), shown.length - 1)] ?? null;
}
