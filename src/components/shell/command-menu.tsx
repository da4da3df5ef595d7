'use client';

import { Command } from 'cmdk';
import { Search } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { Kbd } from '@/components/ui/navigation/kbd';
import { useTheme } from '@/components/ui/navigation/theme-toggle';
import { useShortcut, useShortcuts } from '@/components/ui/navigation/use-shortcut';
import { Dialog } from '@/components/ui/overlay/dialog';

/** A page to open or an action to run. `keywords` match searches but are not shown. */
export type ShellCommand = {
  group: string;
  label: string;
  icon?: ReactNode;
  keywords?: string[];
} & ({ href: string } | { run: () => void });

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

/** The command menu and the button that opens it. Ctrl or Cmd+K opens it too, and `?` lists the shortcuts. */
export function CommandMenu({ commands }: { commands: ShellCommand[] }) {
  const [open, setOpen] = useState(false);
  const [search, setSearch] = useState('');
  const [help, setHelp] = useState(false);
  const router = useRouter();
  const [, setTheme] = useTheme();
  useShortcut('Mod+k', 'Command menu', () => setOpen(true));
  useShortcut('?', 'Keyboard shortcuts', () => setHelp(true));

  const all: ShellCommand[] = [
    ...commands,
    { group: 'Settings', label: 'Light theme', run: () => setTheme('light') },
    { group: 'Settings', label: 'Dark theme', run: () => setTheme('dark') },
    { group: 'Settings', label: 'System theme', run: () => setTheme('system') },
    { group: 'Settings', label: 'Keyboard shortcuts', run: () => setHelp(true) },
  ];
  const groups = [...new Set(all.map((command) => command.group))];

  function change(next: boolean) {
    setOpen(next);
    if (!next) setSearch('');
  }

  function choose(command: ShellCommand) {
    change(false);
    if ('href' in command) router.push(command.href);
    else command.run();
  }

  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-keyshortcuts="Control+K Meta+K"
        className="flex h-9 items-center gap-2 rounded border border-transparent px-2 text-muted hover:text-ink max-sm:size-11 max-sm:justify-center lg:w-52 lg:border-line lg:bg-surface lg:hover:border-line-strong"
      >
        <Search aria-hidden className="size-4" />
        <span className="flex-1 text-start max-lg:sr-only">Search…</span>
        <span aria-hidden className="max-lg:hidden">
          <Kbd>Ctrl K</Kbd>
        </span>
      </button>
      <Radix.Root open={open} onOpenChange={change}>
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
      <ShortcutsHelp open={help} onOpenChange={setHelp} />
    </>
  );
}
