'use client';

import { type ReactNode, useEffect, useRef } from 'react';

function onKeyDown(this: HTMLElement, event: KeyboardEvent) {
  const row = event.target;
  if (!(row instanceof HTMLElement) || !row.matches('tr[data-row]')) return;
  const rows = [...this.querySelectorAll<HTMLElement>('tr[data-row]')];
  const at = rows.indexOf(row);
  const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (target !== undefined) {
    event.preventDefault();
    const next = rows[Math.min(Math.max(target, 0), rows.length - 1)];
    if (!next || next === row) return;
    row.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  } else if (event.key === 'Enter') {
    // What the link opens may take the focus, and would get the key itself.
    event.preventDefault();
    row.querySelector<HTMLElement>('a[href]')?.click();
  } else if (event.key === ' ') {
    const box = row.querySelector<HTMLElement>('[role="checkbox"]');
    if (!box) return;
    event.preventDefault();
    box.click();
  }
}

/** Arrows, Home and End move between rows; Enter opens the row's link; space ticks its box. */
export function TableKeyboardNavigation({ className, children }: { className?: string; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    element?.addEventListener('keydown', onKeyDown);
    return () => element?.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <div ref={frame} className={className}>
      {children}
    </div>
  );
}
