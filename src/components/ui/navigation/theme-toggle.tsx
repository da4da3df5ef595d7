'use client';

import { Monitor, Moon, Sun } from 'lucide-react';
import { Button } from '@/components/ui/form/button';
import { useTheme } from '@/components/ui/navigation/use-theme';
import { LazyMenu } from '@/components/ui/overlay/lazy-menu';

const load = () => import('@/components/ui/navigation/theme-menu').then(({ ThemeMenu }) => ThemeMenu);

/** A menu to switch between the light, dark and system theme. */
export function ThemeToggle() {
  const [theme] = useTheme();
  const Icon = theme === 'system' ? Monitor : theme === 'light' ? Sun : Moon;
  return (
    <LazyMenu label="Theme" load={load} trigger={<Button variant="ghost" size="icon" icon={<Icon aria-hidden />} />} />
  );
}
