import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { loadProject } from '@/app/dashboard/load-project';
import { ErrorState } from '@/components/ui/page/error-state';
import { can } from '@/domain/projects/permissions';

export const metadata: Metadata = { title: 'Webhooks' };

export default async function Layout({
  params,
  children,
}: {
  params: Promise<{ project: string }>;
  children: ReactNode;
}) {
  const { project } = await loadProject((await params).project);
  if (can(project.role, 'webhooks:read')) return children;
  return (
    <ErrorState
      title="Webhooks are for owners and admins"
      message={`You are ${project.role.toLowerCase()} of ${project.name}. Ask an owner to change your role or to set the webhook up.`}
    />
  );
}
