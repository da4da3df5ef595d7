'use client';

import { type View, viewCounts, views } from '@/components/tournaments/desk/grid/views';
import type { DeskRow } from '@/components/tournaments/desk/queries';

/** Scrolls the selected view into sight on a small screen. */
function scrollIntoStrip(chip: HTMLElement | null) {
  const strip = chip?.parentElement;
  if (!chip || !strip) return;
  const beyond = chip.offsetLeft + chip.offsetWidth - strip.clientWidth;
  if (beyond > strip.scrollLeft) strip.scrollLeft = beyond + 16;
}

/** The views of the desk with the number of participants in each. */
export function ViewFilters({
  rows,
  complete,
  view,
  onView,
}: {
  rows: readonly DeskRow[];
  /** Whether all rows are loaded; until then the counts would be wrong. */
  complete: boolean;
  view: View;
  onView: (view: View) => void;
}) {
  return (
    <fieldset className="flex min-w-0 gap-1 overflow-x-auto pb-1 [scrollbar-width:none] max-sm:-mx-4 max-sm:px-4">
      <legend className="sr-only">Filter by status</legend>
      {viewCounts(rows, view).map(({ view: each, count }) => (
        <button
          key={each}
          ref={each === view ? scrollIntoStrip : undefined}
          type="button"
          aria-pressed={each === view}
          onClick={() => onView(each)}
          className="flex h-9 shrink-0 items-center gap-2 rounded border border-transparent px-3 font-medium text-muted hover:bg-hover hover:text-ink aria-pressed:border-line-strong aria-pressed:bg-surface aria-pressed:text-ink max-md:h-11"
        >
          {views[each].label}
          <span className="figure min-w-4 text-muted">{complete ? count : null}</span>
        </button>
      ))}
    </fieldset>
  );
}
