'use client';

import { type RefObject, useEffect, useRef } from 'react';

/**
 * Calls `onOpen` with the number of a match whose card was clicked, in place of following its link. With a modifier key it
 * stays a link, so it can be opened in a new tab.
 */
export function useMatchLinks(area: RefObject<HTMLElement | null>, onOpen: (match: number) => void): void {
  const latest = useRef(onOpen);
  useEffect(() => {
    latest.current = onOpen;
  });

  useEffect(() => {
    const element = area.current;
    function open(event: MouseEvent) {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      const link = event.target instanceof Element ? event.target.closest<HTMLElement>('a[data-match]') : null;
      if (!link) return;
      event.preventDefault();
      latest.current(Number(link.dataset.match));
    }
    element?.addEventListener('click', open);
    return () => element?.removeEventListener('click', open);
  }, [area]);
}
