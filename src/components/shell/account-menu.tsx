'use client';

import { type ReactNode, useCallback, useEffect } from 'react';
import type { ShellViewer } from '@/components/shell/types';
import { Avatar } from '@/components/ui/data/avatar';
import { ButtonLink } from '@/components/ui/form/button';
import { LazyMenu } from '@/components/ui/overlay/lazy-menu';
import { loadToasts } from '@/components/ui/overlay/toaster';

/** The viewer's menu, or links to sign in and up. */
export function AccountMenu({ viewer }: { viewer: ShellViewer | null }) {
  const load = useCallback(async () => {
    const { AccountMenuItems } = await import('@/components/shell/account-menu-items');
    return ({ trigger }: { trigger: ReactNode }) =>
      viewer ? <AccountMenuItems viewer={viewer} trigger={trigger} /> : null;
  }, [viewer]);
  useEffect(() => {
    // Users who are signed in can change something, so they must see a lost connection.
    if (viewer) loadToasts();
  }, [viewer]);
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
    <LazyMenu
      label={`Account: ${viewer.name}`}
      load={load}
      trigger={
        <button
          type="button"
          className="grid size-9 place-items-center rounded-full aria-busy:opacity-60 max-sm:size-11"
        >
          <Avatar name={viewer.name} />
        </button>
      }
    />
  );
}
