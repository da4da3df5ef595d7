import type { ReactNode } from 'react';
import { SiteFooter } from '@/components/shell/site-footer';
import { SiteHeader } from '@/components/shell/site-header';
import { SkipLink } from '@/components/shell/skip-link';
import type { ShellViewer } from '@/components/shell/types';
import { cn } from '@/components/ui/cn';

/** Layout of the public pages: header, content and footer. `narrow` is for forms and settings. */
export function SiteShell({
  viewer,
  width = 'wide',
  children,
}: {
  viewer: ShellViewer | null;
  width?: 'wide' | 'narrow' | 'full';
  children: ReactNode;
}) {
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <SiteHeader viewer={viewer} />
      <main
        id="main"
        tabIndex={-1}
        className={cn(
          'w-full flex-1 outline-none',
          width !== 'full' && 'mx-auto px-4 pt-8 sm:px-6 sm:pt-10',
          width === 'wide' && 'max-w-6xl',
          width === 'narrow' && 'max-w-2xl',
        )}
      >
        {children}
      </main>
      <SiteFooter />
    </div>
  );
}
