'use client';

import { Command } from 'cmdk';
import { useRouter } from 'next/navigation';
import { Dialog as Radix } from 'radix-ui';
import { useState } from 'react';
import type { ShellCommand } from '@/components/shell/command-menu';
import { Kbd } from '@/components/ui/navigation/kbd';
import { useShortcuts } from '@/components/ui/navigation/use-shortcut';
import { useTheme } from '@/components/ui/navigation/use-theme';
import { Dialog } from '@/components/ui/overlay/dialog';

function splitKeys(keys: string): string[] {
  return keys.split('+').map((key) => (key === 'Mod' ? 'Ctrl' : key.length === 1 ? key.toUpperCase() : key));
}

function ShortcutsHelp({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const shortcuts = useShortcuts();
  const everywhere = [
    { keys: 'Escape', label: 'Close a dialog or menu' },
    { keys: '↑ ↓', label: 'Move between table rows' },
    { keys: 'Space', label: 'Select a row' },
  ];
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts">
      <ul className="divide-y">
        {[...shortcuts, ...everywhere].map((shortcut) => (
          <li key={`${shortcut.keys} ${shortcut.label}`} className="flex items-center justify-between gap-4 py-2">
            {shortcut.label}
            <span className="flex gap-1">
              {splitKeys(shortcut.keys).map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

export type PaletteProps = {
  commands: ShellCommand[];
  /** Which of the two dialogs is open. */
  shown: 'commands' | 'shortcuts' | null;
  onShow: (shown: PaletteProps['shown']) => void;
};

/** The dialogs of the command menu: pages and actions to search, and the list of shortcuts. */
export function CommandPalette({ commands, shown, onShow }: PaletteProps) {
  const [search, setSearch] = useState('');
  const router = useRouter();
  const [, setTheme] = useTheme();

  const all: ShellCommand[] = [
    ...commands,
    { group: 'Settings', label: 'Light theme', run: () => setTheme('light') },
    { group: 'Settings', label: 'Dark theme', run: () => setTheme('dark') },
    { group: 'Settings', label: 'System theme', run: () => setTheme('system') },
    { group: 'Settings', label: 'Keyboard shortcuts', run: () => onShow('shortcuts') },
  ];
  const groups = [...new Set(all.map((command) => command.group))];

  function change(next: boolean) {
    onShow(next ? 'commands' : null);
    if (!next) setSearch('');
  }

  function choose(command: ShellCommand) {
    change(false);
    if ('href' in command) router.push(command.href);
    else command.run();
  }

  return (
    <>
      <Radix.Root open={shown === 'commands'} onOpenChange={change}>
        <Radix.Portal>
          <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-scrim" />
          <Radix.Content
            aria-describedby={undefined}
            className="fixed inset-x-0 top-[12dvh] z-50 mx-auto w-[calc(100vw-1.5rem)] max-w-xl animate-appear overflow-hidden rounded border bg-raised shadow"
          >
            <Radix.Title className="sr-only">Command menu</Radix.Title>
            <Command loop>
              <Command.Input
                value={search}
                onValueChange={setSearch}
                placeholder="Search pages and actions"
                className="h-13 w-full border-b bg-transparent px-4 text-base outline-none"
              />
              <Command.List className="max-h-[50dvh] overflow-y-auto p-2">
                <Command.Empty className="px-3 py-6 text-muted wrap-anywhere">No results for “{search}”.</Command.Empty>
                {groups.map((group) => (
                  <Command.Group
                    key={group}
                    heading={group}
                    className="[&_[cmdk-group-heading]]:label [&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-faint"
                  >
                    {all
                      .filter((command) => command.group === group)
                      .map((command) => (
                        <Command.Item
                          key={command.label}
                          value={`${group} ${command.label}`}
                          keywords={command.keywords}
                          onSelect={() => choose(command)}
                          className="flex cursor-default items-center gap-3 rounded px-3 py-2.5 data-[selected=true]:bg-hover sm:py-2 [&_svg]:size-4 [&_svg]:text-muted"
                        >
                          {command.icon}
                          {command.label}
                        </Command.Item>
                      ))}
                  </Command.Group>
                ))}
              </Command.List>
            </Command>
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
      <ShortcutsHelp open={shown === 'shortcuts'} onOpenChange={(open) => onShow(open ? 'shortcuts' : null)} />
    </>
  );
}
