import type { ReactNode } from 'react';
import { loadProject } from '@/app/dashboard/load-project';
import { RoleNotice } from '@/components/projects/role-notice';
import { LinkTabs } from '@/components/ui/navigation/link-tabs';
import { PageHeader } from '@/components/ui/page/page-header';
import { can } from '@/domain/projects/permissions';

export default async function Layout({
  params,
  children,
}: {
  params: Promise<{ project: string }>;
  children: ReactNode;
}) {
  const { project } = await loadProject((await params).project);
  if (!can(project.role, 'project:write')) {
    return <RoleNotice title="Settings" role={project.role} needs="project:write" what="see and change the settings" />;
  }
  const base = `/dashboard/${project.slug}/settings`;
  return (
    <>
      <PageHeader
        title="Settings"
        tabs={
          <LinkTabs
            label="Settings"
            items={[
              { href: base, label: 'General and plan', exact: true },
              { href: `${base}/audit-log`, label: 'Audit log' },
            ]}
          />
        }
      />
      {children}
    </>
  );
}
