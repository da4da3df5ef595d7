'use client';

import { CircleUser, LayoutDashboard, LogOut, Swords } from 'lucide-react';
import { signOut } from 'next-auth/react';
import type { ReactNode } from 'react';
import type { ShellViewer } from '@/components/shell/types';
import { Menu, MenuItem, MenuSeparator } from '@/components/ui/overlay/menu';

/** The open menu of a signed-in viewer at its trigger. */
export function AccountMenuItems({ viewer, trigger }: { viewer: ShellViewer; trigger: ReactNode }) {
  return (
    <Menu label={`Account: ${viewer.name}`} trigger={trigger} defaultOpen>
      <div className="px-3 py-2">
        <p className="truncate font-medium" dir="auto">
          {viewer.name}
        </p>
        <p className="truncate text-xs text-faint">{viewer.email}</p>
      </div>
      <MenuSeparator />
      <MenuItem href="/me" icon={<Swords aria-hidden />}>
        My tournaments
      </MenuItem>
      <MenuItem href="/dashboard" icon={<LayoutDashboard aria-hidden />}>
        Organize
      </MenuItem>
      <MenuItem href="/settings" icon={<CircleUser aria-hidden />}>
        Account settings
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<LogOut aria-hidden />} onSelect={() => void signOut({ callbackUrl: '/' })}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
