import type { ReactNode } from 'react';
import { loadProject, myProjects } from '@/app/dashboard/load-project';
import { DashboardShell } from '@/components/shell/dashboard-shell';
import { ViewerZone } from '@/components/ui/text/date-time';

export default async function Layout({
  params,
  children,
}: {
  params: Promise<{ project: string }>;
  children: ReactNode;
}) {
  const { viewer, project } = await loadProject((await params).project);
  const projects = (await myProjects()).map(({ id, slug, name, role }) => ({ id, slug, name, role }));
  const { id, slug, name, role } = project;
  return (
    <DashboardShell
      viewer={{ name: viewer.name, email: viewer.email }}
      project={{ id, slug, name, role }}
      projects={projects}
    >
      <ViewerZone zone={viewer.timezone}>{children}</ViewerZone>
    </DashboardShell>
  );
}
