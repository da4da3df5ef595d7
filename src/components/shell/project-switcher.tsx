'use client';

import { Check, ChevronsUpDown, Plus } from 'lucide-react';
import type { ShellProject } from '@/components/shell/types';
import { Avatar } from '@/components/ui/data/avatar';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '@/components/ui/overlay/menu';

/** Shows the current project and switches to another one. */
export function ProjectSwitcher({ project, projects }: { project: ShellProject; projects: ShellProject[] }) {
  return (
    <Menu
      align="start"
      label={`Project ${project.name}. Switch project`}
      trigger={
        <button
          type="button"
          className="flex h-11 w-full min-w-0 items-center gap-2.5 rounded border bg-surface px-2.5 text-start hover:border-line-strong"
        >
          <Avatar name={project.name} size="sm" square />
          <span className="min-w-0 flex-1 truncate font-medium" dir="auto">
            {project.name}
          </span>
          <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-faint" />
        </button>
      }
    >
      <MenuLabel>Projects</MenuLabel>
      {projects.map((each) => (
        <MenuItem
          key={each.id}
          href={`/dashboard/${each.slug}`}
          icon={each.id === project.id ? <Check aria-label="Current" /> : <span className="size-4" />}
        >
          {each.name}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem href="/dashboard/new" icon={<Plus aria-hidden />}>
        New project
      </MenuItem>
    </Menu>
  );
}
