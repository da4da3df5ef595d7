'use client';

import type { KeyboardEvent, RefObject } from 'react';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';

/**
 * Keys that go through the queue: j and k anywhere on the page, the arrows inside the list.
 * @returns the handler of the list, and `focus`, which moves the focus to a detection if it is in the list
 */
export function useQueueKeys(
  list: RefObject<HTMLElement | null>,
  { ids, selectedId, onSelect }: { ids: readonly string[]; selectedId: string | null; onSelect: (id: string) => void },
) {
  const focus = (id: string) => list.current?.querySelector<HTMLElement>(`[data-detection="${id}"]`)?.focus();
  function step(by: 1 | -1) {
    const at = ids.indexOf(selectedId ?? '');
    const id = ids[Math.min(Math.max(at + by, 0), ids.length - 1)];
    if (id === undefined) return;
    onSelect(id);
    focus(id);
  }
  useShortcut('j', 'Next detection', () => step(1));
  useShortcut('k', 'Previous detection', () => step(-1));
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    step(event.key === 'ArrowDown' ? 1 : -1);
  }
  return { onKeyDown, focus };
}
