import type { ProjectRole } from '@/domain/projects/roles';

/** Who looks at the page, as far as the shell shows it. */
export type ShellViewer = { name: string; email: string };

/** A project the viewer may switch to; `role` decides which pages of it are offered. */
export type ShellProject = {
  id: string;
  slug: string;
  name: string;
  role: ProjectRole;
};
