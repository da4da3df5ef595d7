'use client';

import { Monitor, Moon, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Button } from '@/components/ui/form/button';
import { Menu, MenuChoices, MenuLabel } from '@/components/ui/overlay/menu';
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

const options = [
  { value: 'system', label: 'System', icon: <Monitor aria-hidden /> },
  { value: 'light', label: 'Light', icon: <Sun aria-hidden /> },
  { value: 'dark', label: 'Dark', icon: <Moon aria-hidden /> },
];

/** The selected theme and a function that changes it. */
export function useTheme(): [Theme, (theme: string) => void] {
  const theme = useSyncExternalStore<Theme>(subscribe, readTheme, () => 'system');
  return [theme, setTheme];
}

/** A menu to switch between the light, dark and system theme. */
export function ThemeToggle() {
  const [theme, choose] = useTheme();
  const Icon = theme === 'system' ? Monitor : theme === 'light' ? Sun : Moon;
  return (
    <Menu label="Theme" trigger={<Button variant="ghost" size="icon" icon={<Icon aria-hidden />} />}>
      <MenuLabel>Theme</MenuLabel>
      <MenuChoices value={theme} onValueChange={choose} options={options} />
    </Menu>
  );
}
