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
    // Without this, whatever the link opens and focuses would receive the key as well.
    event.preventDefault();
    row.querySelector<HTMLElement>('a[href]')?.click();
  } else if (event.key === ' ') {
    const box = row.querySelector<HTMLElement>('[role="checkbox"]');
    if (!box) return;
    event.preventDefault();
    box.click();
  }
}

/** Keyboard support for tables: arrows, Home and End move between rows, Enter opens the row's link, Space selects it. */
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
