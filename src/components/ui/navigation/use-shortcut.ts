'use client';

import { useEffect, useRef, useSyncExternalStore } from 'react';

type Shortcut = { keys: string; label: string; run: () => void };

let shortcuts: readonly Shortcut[] = [];
const listeners = new Set<() => void>();

function replace(next: readonly Shortcut[]) {
  shortcuts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function matches(keys: string, event: KeyboardEvent): boolean {
  const plain = keys.replace('Mod+', '');
  return (
    event.key.toLowerCase() === plain.toLowerCase() && keys.startsWith('Mod+') === (event.metaKey || event.ctrlKey)
  );
}

/**
 * Calls `run` on a key (`/`, `n`, `Mod+k`) while the component is mounted, and lists it under `?`. Keys without Mod are
 * ignored while someone types or a dialog is open.
 */
export function useShortcut(keys: string, label: string, run: () => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });

  useEffect(() => {
    const shortcut = { keys, label, run: () => latest.current() };
    replace([...shortcuts, shortcut]);

    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.altKey || !matches(keys, event)) return;
      const withModifier = keys.startsWith('Mod+');
      if (!withModifier && (isTyping(event.target) || document.querySelector('[role$="dialog"]'))) return;
      event.preventDefault();
      shortcut.run();
    }
    window.addEventListener('keydown', onKeyDown);
    return () => {
      window.removeEventListener('keydown', onKeyDown);
      replace(shortcuts.filter((each) => each !== shortcut));
    };
  }, [keys, label]);
}

const none: readonly Shortcut[] = [];

/** All shortcuts of the current page. */
export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    subscribe,
    () => shortcuts,
    () => none,
  );
}
