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

/** The window size assumed on the server, so that the first paint has rows. */
const serverWindow = { width: 1440, height: 900 };
/** Rows that Page Up and Page Down move by. */
const pageStep = 15;

/**
 * A virtualized grid that scrolls with the page. The grid itself keeps the focus and names the active row, so that no key
 * press is lost when rows appear, disappear or move.
 */
export function useVirtualGrid({
  ids,
  height,
  active,
  multiSelect = false,
  onActive,
  onStep,
  onKey,
}: {
  ids: readonly string[];
  /** Height of a row, in pixels. */
  height: number;
  active: string | null;
  /** Whether several rows can be selected. */
  multiSelect?: boolean;
  onActive: (id: string | null) => void;
  /** Called before the cursor moves; returns true if it handled the key itself. */
  onStep?: (event: KeyboardEvent, step: number, to: string | null) => boolean;
  /** Called for any other key; returns true if it handled it. */
  onKey: (event: KeyboardEvent) => boolean;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);

  useLayoutEffect(() => {
    // The content above the rows can change its height at any time.
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
    // Shift-click would select the text between the clicks.
    event.preventDefault();
    event.currentTarget.focus();
  }

  return {
    gridProps: {
      role: 'grid',
      'aria-multiselectable': multiSelect || undefined,
      tabIndex: 0,
      'aria-activedescendant': active === null ? undefined : rowId(active),
      onKeyDown,
      onFocus,
      onPointerDown,
      onMouseDown,
    } as const,
    bodyProps: { ref: body, style: { height: virtualizer.getTotalSize() } },
    /** The rendered rows with their offset in the body. */
    virtualRows: virtualizer
      .getVirtualItems()
      .map(({ index, start }) => ({ index, top: start - virtualizer.options.scrollMargin })),
    reveal,
  };
}
