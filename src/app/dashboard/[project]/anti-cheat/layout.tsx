import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { loadProject } from '@/app/dashboard/load-project';
import { RoleNotice } from '@/components/projects/role-notice';
import { can } from '@/domain/projects/permissions';

export const metadata: Metadata = { title: { default: 'Anti-cheat', template: '%s · Laurel' } };

export default async function Layout({
  params,
  children,
}: {
  params: Promise<{ project: string }>;
  children: ReactNode;
}) {
  const { project } = await loadProject((await params).project);
  if (can(project.role, 'anticheat:read')) return children;
  return <RoleNotice title="Anti-cheat" role={project.role} needs="anticheat:read" what="see and review detections" />;
}
