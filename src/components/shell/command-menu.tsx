'use client';

import { LoaderCircle, Search } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { PaletteProps } from '@/components/shell/command-palette';
import { Kbd } from '@/components/ui/navigation/kbd';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';
import { useOnDemand } from '@/components/ui/overlay/use-on-demand';

/** A page to open or an action to run. `keywords` match searches but are not shown. */
export type ShellCommand = {
  group: string;
  label: string;
  icon?: ReactNode;
  keywords?: string[];
} & ({ href: string } | { run: () => void });

const load = () => import('@/components/shell/command-palette').then(({ CommandPalette }) => CommandPalette);

/** The command menu and the button that opens it. Ctrl or Cmd+K opens it too, and `?` lists the shortcuts. */
export function CommandMenu({ commands }: { commands: ShellCommand[] }) {
  const [shown, setShown] = useState<PaletteProps['shown']>(null);
  const { Loaded, isLoading, request, prepare } = useOnDemand(load);
  const Icon = isLoading ? LoaderCircle : Search;

  function show(dialog: PaletteProps['shown']) {
    setShown(dialog);
    request();
  }
  useShortcut('Mod+k', 'Command menu', () => show('commands'));
  useShortcut('?', 'Keyboard shortcuts', () => show('shortcuts'));

  return (
    <>
      <button
        type="button"
        onClick={() => show('commands')}
        onPointerEnter={prepare}
        onFocus={prepare}
        aria-busy={isLoading || undefined}
        aria-keyshortcuts="Control+K Meta+K"
        className="flex h-9 items-center gap-2 rounded border border-transparent px-2 text-muted hover:text-ink max-sm:size-11 max-sm:justify-center lg:w-52 lg:border-line lg:bg-surface lg:hover:border-line-strong"
      >
        <Icon aria-hidden className={isLoading ? 'size-4 animate-turn' : 'size-4'} />
        <span className="flex-1 text-start max-lg:sr-only">Search…</span>
        <span aria-hidden className="max-lg:hidden">
          <Kbd>Ctrl K</Kbd>
        </span>
      </button>
      {Loaded ? <Loaded commands={commands} shown={shown} onShow={setShown} /> : null}
    </>
  );
}
