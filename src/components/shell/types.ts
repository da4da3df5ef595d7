import type { ProjectRole } from '@/domain/projects/roles';

/** What the shell shows about the viewer. */
export type ShellViewer = { name: string; email: string };

/** A project that the viewer can switch to. `role` decides which of its pages are linked. */
export type ShellProject = {
  id: string;
  slug: string;
  name: string;
  role: ProjectRole;
};
