'use client';

import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { rowId } from '@/components/tournaments/desk/grid/row-id';
import { moveCursor } from '@/components/tournaments/desk/grid/selection';

/** What the server takes for a window, so that the first paint has rows. */
const serverWindow = { width: 1440, height: 900 };
/** Rows that Page Up and Page Down pass over. */
const pageStep = 15;

/**
 * A grid in the page's own scrolling, of which only the rows in sight are there. The grid holds the focus and tells which
 * row is active, so that no key is lost when rows come, go and move.
 */
export function useVirtualGrid({
  ids,
  height,
  active,
  selects = false,
  onActive,
  onStep,
  onKey,
}: {
  ids: readonly string[];
  /** Of a row, in pixels. */
  height: number;
  active: string | null;
  /** Whether rows can be selected, many at a time. */
  selects?: boolean;
  onActive: (id: string | null) => void;
  /** Told before the cursor steps; true when the step was for something else. */
  onStep?: (event: KeyboardEvent, step: number, to: string | null) => boolean;
  /** Any other key; true when it meant something. */
  onKey: (event: KeyboardEvent) => boolean;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);

  useLayoutEffect(() => {
    // What stands above the rows can grow and shrink at any time.
    const read = () => {
      if (body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY);
    };
    read();
    const watcher = new ResizeObserver(read);
    watcher.observe(document.body);
    return () => watcher.disconnect();
  }, []);

  const virtualizer = useWindowVirtualizer({
    count: ids.length,
    estimateSize: () => height,
    getItemKey: (index) => ids[index] ?? index,
    overscan: 12,
    scrollMargin: top,
    scrollPaddingStart: 120,
    scrollPaddingEnd: 140,
    initialRect: serverWindow,
    initialOffset: 0,
  });
  useLayoutEffect(() => {
    if (height > 0) virtualizer.measure();
  }, [virtualizer, height]);

  function reveal(index: number) {
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget || event.metaKey) return;
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: pageStep,
      PageUp: -pageStep,
      Home: -ids.length,
      End: ids.length,
    };
    const step = steps[event.key];
    if (step === undefined) {
      if (onKey(event)) event.preventDefault();
      return;
    }
    event.preventDefault();
    const to = moveCursor(active, ids, step);
    if (onStep?.(event, step, to)) return;
    onActive(to);
    if (to !== null) reveal(ids.indexOf(to));
  }

  function onFocus(event: FocusEvent) {
    if (event.target !== event.currentTarget) return;
    if (active === null || !ids.includes(active)) onActive(ids[0] ?? null);
  }

  function onPointerDown(event: PointerEvent) {
    const row = event.target instanceof Element ? event.target.closest('tr[data-row]') : null;
    const id = ids.find((each) => rowId(each) === row?.id);
    if (id !== undefined) onActive(id);
  }

  function onMouseDown(event: MouseEvent<HTMLElement>) {
    if (!event.shiftKey) return;
    // Shift would mark the text between two clicks.
    event.preventDefault();
    event.currentTarget.focus();
  }

  return {
    gridProps: {
      role: 'grid',
      'aria-multiselectable': selects || undefined,
      tabIndex: 0,
      'aria-activedescendant': active === null ? undefined : rowId(active),
      onKeyDown,
      onFocus,
      onPointerDown,
      onMouseDown,
    } as const,
    bodyProps: { ref: body, style: { height: virtualizer.getTotalSize() } },
    /** Rows in sight: which, and where in the body. */
    inSight: virtualizer
      .getVirtualItems()
      .map(({ index, start }) => ({ index, top: start - virtualizer.options.scrollMargin })),
    reveal,
  };
}
