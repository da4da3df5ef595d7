import type { Metadata } from 'next';
import { loadProject } from '@/app/dashboard/load-project';
import { AuditLog } from '@/components/projects/audit-log/audit-log';
import { auditLogInput } from '@/components/projects/list-inputs';
import { can } from '@/domain/projects/permissions';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

export const metadata: Metadata = { title: 'Audit log' };

export default async function Page({ params }: { params: Promise<{ project: string }> }) {
  const { project } = await loadProject((await params).project);
  if (!can(project.role, 'audit:read')) return null;
  await prefetch(trpc.projects.auditLog.list.queryOptions(auditLogInput(project.id)));
  return (
    <Hydrate>
      <AuditLog projectId={project.id} base={`/dashboard/${project.slug}`} />
    </Hydrate>
  );
}
