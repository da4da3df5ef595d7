import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { loadProject } from '@/app/dashboard/load-project';
import { RoleNotice } from '@/components/projects/role-notice';
import { can } from '@/domain/projects/permissions';

export const metadata: Metadata = { title: { default: 'Webhooks', template: '%s · Laurel' } };

export default async function Layout({
  params,
  children,
}: {
  params: Promise<{ project: string }>;
  children: ReactNode;
}) {
  const { project } = await loadProject((await params).project);
  if (can(project.role, 'webhooks:read')) return children;
  return <RoleNotice title="Webhooks" role={project.role} needs="webhooks:read" what="see and manage webhooks" />;
}
