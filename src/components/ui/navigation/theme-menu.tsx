'use client';

import { Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTheme } from '@/components/ui/navigation/use-theme';
import { Menu, MenuChoices, MenuLabel } from '@/components/ui/overlay/menu';

const options = [
  { value: 'system', label: 'System', icon: <Monitor aria-hidden /> },
  { value: 'light', label: 'Light', icon: <Sun aria-hidden /> },
  { value: 'dark', label: 'Dark', icon: <Moon aria-hidden /> },
];

/** The open menu of themes at its trigger. */
export function ThemeMenu({ trigger }: { trigger: ReactNode }) {
  const [theme, choose] = useTheme();
  return (
    <Menu label="Theme" trigger={trigger} defaultOpen>
      <MenuLabel>Theme</MenuLabel>
      <MenuChoices value={theme} onValueChange={choose} options={options} />
    </Menu>
  );
}
