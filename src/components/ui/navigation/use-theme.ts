'use client';

import { useSyncExternalStore } from 'react';
import { type Theme, themeStorageKey } from '@/domain/theme';

const listeners = new Set<() => void>();

function readTheme(): Theme {
  const set = document.documentElement.dataset.theme;
  return set === 'light' || set === 'dark' ? set : 'system';
}

function setTheme(theme: string) {
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(themeStorageKey, theme);
  } else {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(themeStorageKey);
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The selected theme and a function that changes it. */
export function useTheme(): [Theme, (theme: string) => void] {
  const theme = useSyncExternalStore<Theme>(subscribe, readTheme, () => 'system');
  return [theme, setTheme];
}
