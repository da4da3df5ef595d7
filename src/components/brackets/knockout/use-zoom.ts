'use client';

import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

const minZoom = 0.1;
const maxZoom = 2;
/** How far the mouse moves, in pixels, before a press becomes a drag and no longer a click. */
const dragDistance = 5;

type Point = { x: number; y: number };
export type Zoom = {
  zoom: number;
  zoomBy: (factor: number) => void;
  zoomTo: (zoom: number) => void;
  showAll: () => void;
};

const clamp = (zoom: number) => Math.min(maxZoom, Math.max(minZoom, zoom));
const distance = (a: Touch, b: Touch) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
const middle = (a: Touch, b: Touch): Point => ({ x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2 });

/**
 * Zooms the canvas in a scrolling viewport by pinch, by wheel with Ctrl, and by the functions it returns; drags it with the
 * mouse. Panning is native scrolling, so taps, wheels, arrow keys and scrollbars work as everywhere.
 */
export function useZoom(viewport: RefObject<HTMLElement | null>): Zoom {
  const [zoom, setZoom] = useState(1);
  const current = useRef(1);

  /** Zooms and keeps the point of the viewport (in client pixels) where it is. */
  const apply = useCallback(
    (next: number, at?: Point) => {
      const element = viewport.current;
      if (!element) return;
      const target = clamp(next);
      const box = element.getBoundingClientRect();
      const x = (at?.x ?? box.left + box.width / 2) - box.left;
      const y = (at?.y ?? box.top + box.height / 2) - box.top;
      const factor = target / current.current;
      const left = (element.scrollLeft + x) * factor - x;
      const top = (element.scrollTop + y) * factor - y;
      current.current = target;
      element.style.setProperty('--zoom', String(target));
      element.scrollTo({ left, top, behavior: 'instant' });
      setZoom(target);
    },
    [viewport],
  );

  const zoomTo = useCallback((next: number) => apply(next), [apply]);
  const zoomBy = useCallback((factor: number) => apply(current.current * factor), [apply]);
  const showAll = useCallback(() => {
    const element = viewport.current;
    const canvas = element?.querySelector<HTMLElement>('.bracket-canvas');
    if (!element || !canvas) return;
    const box = canvas.getBoundingClientRect();
    const margin = 2 * Number.parseFloat(getComputedStyle(canvas).marginLeft);
    const width = box.width / current.current;
    const height = box.height / current.current;
    apply(Math.min(1, (element.clientWidth - margin) / width, (element.clientHeight - margin) / height));
    element.scrollTo({ left: 0, top: 0, behavior: 'instant' });
    // The page may be scrolled so that half of the viewport is outside the window.
    element.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
  }, [viewport, apply]);

  useEffect(() => {
    const element = viewport.current;
    if (!element) return;
    const stop = new AbortController();
    const { signal } = stop;

    element.addEventListener(
      'wheel',
      (event) => {
        // Trackpads report a pinch as a wheel with Ctrl.
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 16 : event.deltaY;
        const factor = Math.exp(-Math.max(-60, Math.min(60, pixels)) * 0.005);
        apply(current.current * factor, { x: event.clientX, y: event.clientY });
      },
      { passive: false, signal },
    );

    let pinch: { distance: number; zoom: number } | null = null;
    element.addEventListener(
      'touchmove',
      (event) => {
        const [first, second] = event.touches;
        // Pages of rounds are left to the browser, which zooms them as it zooms any page.
        if (!first || !second || getComputedStyle(element).touchAction === 'auto') return;
        event.preventDefault();
        pinch ??= { distance: distance(first, second), zoom: current.current };
        apply((pinch.zoom * distance(first, second)) / pinch.distance, middle(first, second));
      },
      { passive: false, signal },
    );
    const endPinch = () => {
      pinch = null;
    };
    element.addEventListener('touchend', endPinch, { signal });
    element.addEventListener('touchcancel', endPinch, { signal });

    dragToScroll(element, signal);
    return () => stop.abort();
  }, [viewport, apply]);

  return { zoom, zoomBy, zoomTo, showAll };
}

/** Pans by dragging with the mouse. A press that moved is no click. */
function dragToScroll(element: HTMLElement, signal: AbortSignal): void {
  let start: (Point & { left: number; top: number }) | null = null;
  let moved = false;

  element.addEventListener(
    'pointerdown',
    (event) => {
      moved = false;
      if (event.pointerType !== 'mouse' || event.button !== 0) return;
      start = { x: event.clientX, y: event.clientY, left: element.scrollLeft, top: element.scrollTop };
    },
    { signal },
  );
  window.addEventListener(
    'pointermove',
    (event) => {
      if (!start) return;
      const [x, y] = [event.clientX - start.x, event.clientY - start.y];
      if (!moved && Math.hypot(x, y) < dragDistance) return;
      moved = true;
      element.dataset.dragging = '';
      element.scrollTo({ left: start.left - x, top: start.top - y, behavior: 'instant' });
    },
    { signal },
  );
  const end = () => {
    start = null;
    delete element.dataset.dragging;
  };
  window.addEventListener('pointerup', end, { signal });
  window.addEventListener('pointercancel', end, { signal });
  // Links would otherwise be dragged as links.
  element.addEventListener('dragstart', (event) => event.preventDefault(), { signal });
  element.addEventListener(
    'click',
    (event) => {
      if (!moved) return;
      event.preventDefault();
      event.stopPropagation();
      moved = false;
    },
    { capture: true, signal },
  );
}
