import type { Metadata } from 'next';
import { loadProject } from '@/app/dashboard/load-project';
import { ProjectSettings } from '@/components/projects/project-settings';
import { isAtLeast } from '@/components/projects/roles';

export const metadata: Metadata = { title: 'Settings' };

export default async function Page({ params }: { params: Promise<{ project: string }> }) {
  const { project } = await loadProject((await params).project);
  return isAtLeast(project.role, 'ADMIN') ? <ProjectSettings key={project.version} project={project} /> : null;
}
