'use client';

import { type RefObject, useEffect, useRef } from 'react';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';

/** What a key presses in the current row: the first of these controls that is there. */
const press = {
  result: ['report', 'confirm', 'enter', 'rule'],
  begin: ['begin'],
  call: ['call'],
  forfeit: ['no-show', 'forfeit'],
  stream: ['stream'],
} as const;

/**
 * Keys for the rows (`li[data-match]`) inside `desk`: j and k move between them, and every other key does one thing to the
 * row that has the focus, which goes on to the next match when one is decided. `onStation` gets the digits: the place
 * of a station from 1, or 0.
 */
export function useRowKeys(desk: RefObject<HTMLElement | null>, onStation: (number: number, place: number) => void) {
  const rows = () => [...(desk.current?.querySelectorAll<HTMLElement>('li[data-match]') ?? [])];
  const current = () => document.activeElement?.closest<HTMLElement>('li[data-match]') ?? null;
  function step(by: 1 | -1) {
    const all = rows();
    const row = current();
    const at = row ? all.indexOf(row) + by : 0;
    all[Math.min(Math.max(at, 0), all.length - 1)]?.focus();
  }
  function run(actions: readonly string[]) {
    const row = current();
    const controls = actions.flatMap((action) => row?.querySelector<HTMLElement>(`[data-action="${action}"]`) ?? []);
    controls[0]?.click();
  }
  // The place of the row that has the focus, or opened the dialog that has it; -1: none.
  const place = useRef(-1);
  useEffect(() => {
    function onFocus({ target }: FocusEvent) {
      if (!(target instanceof Element) || target.closest('[role$="dialog"]')) return;
      const row = target.closest<HTMLElement>('li[data-match]');
      const all = [...(desk.current?.querySelectorAll<HTMLElement>('li[data-match]') ?? [])];
      place.current = row ? all.indexOf(row) : -1;
    }
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, [desk]);
  // A decided match moves to another list and loses the focus on the way: the match that takes its place gets it.
  useEffect(() => {
    if (place.current < 0 || document.activeElement !== document.body) return;
    const all = rows();
    all[Math.min(place.current, all.length - 1)]?.focus();
  });
  useShortcut('j', 'Next match', () => step(1));
  useShortcut('k', 'Previous match', () => step(-1));
  useShortcut('r', 'Enter or confirm the result of the match', () => run(press.result));
  useShortcut('g', 'Begin the match', () => run(press.begin));
  useShortcut('c', 'Call the players of the match, or take the call back', () => run(press.call));
  useShortcut('f', 'Forfeit the match', () => run(press.forfeit));
  useShortcut('q', 'Put the match into the stream queue, or take it out', () => run(press.stream));

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const row = event.target instanceof Element ? event.target.closest<HTMLElement>('li[data-match]') : null;
      if (
        !row ||
        !desk.current?.contains(row) ||
        !/^\d$/.test(event.key) ||
        event.metaKey ||
        event.ctrlKey ||
        event.altKey
      )
        return;
      if (event.target instanceof Element && event.target.closest('input, textarea, select')) return;
      event.preventDefault();
      onStation(Number(row.dataset.match), Number(event.key));
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [desk, onStation]);
}
