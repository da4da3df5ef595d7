'use client';

import { type RefObject, useEffect, useState } from 'react';

type Tab = { key: string; name: string };

/** The rounds as a strip on a phone: shows which page is open and turns to another. */
export function RoundTabs({
  viewport,
  rounds,
  initial,
}: {
  viewport: RefObject<HTMLElement | null>;
  rounds: Tab[];
  /** The round to begin with. */
  initial: string | undefined;
}) {
  const [current, setCurrent] = useState(initial);

  useEffect(() => {
    const element = viewport.current;
    if (!element) return;
    function turned() {
      const columns = [...(element?.querySelectorAll<HTMLElement>('[data-round]') ?? [])];
      const page = Math.round((element?.scrollLeft ?? 0) / Math.max(1, element?.clientWidth ?? 1));
      setCurrent(columns[page]?.dataset.round);
    }
    element.addEventListener('scroll', turned, { passive: true });
    return () => element.removeEventListener('scroll', turned);
  }, [viewport]);

  useEffect(() => {
    if (!initial) return;
    turnTo(viewport.current, initial, 'instant');
  }, [viewport, initial]);

  return (
    <div className="bracket-phone -mx-4 gap-1 overflow-x-auto px-4 [scrollbar-width:none] print:hidden">
      {rounds.map(({ key, name }) => (
        <button
          key={key}
          type="button"
          aria-pressed={key === current}
          ref={key === current ? keepInView : undefined}
          onClick={() => turnTo(viewport.current, key, 'smooth')}
          className="h-11 shrink-0 rounded px-3 font-medium whitespace-nowrap text-muted aria-pressed:bg-accent-soft aria-pressed:text-accent"
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** Scrolls the strip alone: `scrollIntoView` would move the page as well. */
function keepInView(tab: HTMLButtonElement | null) {
  const strip = tab?.parentElement;
  if (!tab || !strip) return;
  strip.scrollTo({ left: tab.offsetLeft - (strip.clientWidth - tab.clientWidth) / 2, behavior: 'instant' });
}

function turnTo(viewport: HTMLElement | null, key: string, behavior: ScrollBehavior) {
  const page = viewport?.querySelector<HTMLElement>(`[data-round="${key}"]`);
  // In a tree the rounds are beside each other, and there is nothing to turn.
  if (!viewport || !page || getComputedStyle(page).position === 'absolute') return;
  viewport.scrollTo({ left: page.offsetLeft, behavior });
}
