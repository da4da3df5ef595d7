'use client';

import { CircleUser, LayoutDashboard, LogOut, Swords } from 'lucide-react';
import { signOut } from 'next-auth/react';
import type { ShellViewer } from '@/components/shell/types';
import { Avatar } from '@/components/ui/data/avatar';
import { ButtonLink } from '@/components/ui/form/button';
import { Menu, MenuItem, MenuSeparator } from '@/components/ui/overlay/menu';

/** The viewer's menu, or links to sign in and up. */
export function AccountMenu({ viewer }: { viewer: ShellViewer | null }) {
  if (!viewer) {
    return (
      <div className="flex items-center gap-1">
        <ButtonLink href="/sign-in" variant="ghost" size="sm">
          Sign in
        </ButtonLink>
        <ButtonLink href="/sign-up" variant="primary" size="sm" className="max-sm:hidden">
          Create account
        </ButtonLink>
      </div>
    );
  }
  return (
    <Menu
      label={`Account: ${viewer.name}`}
      trigger={
        <button type="button" className="grid size-9 place-items-center rounded-full max-sm:size-11">
          <Avatar name={viewer.name} />
        </button>
      }
    >
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
