import type { Metadata } from 'next';
import { loadProject } from '@/app/dashboard/load-project';
import { ApiKeys } from '@/components/projects/api-keys/api-keys';
import { apiKeysInput } from '@/components/projects/list-inputs';
import { RoleNotice } from '@/components/projects/role-notice';
import { can } from '@/domain/projects/permissions';
import { publicUrl } from '@/env';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

export const metadata: Metadata = { title: 'API keys' };

export default async function Page({ params }: { params: Promise<{ project: string }> }) {
  const { project } = await loadProject((await params).project);
  if (!can(project.role, 'keys:read')) {
    return <RoleNotice title="API keys" role={project.role} needs="keys:read" what="see and manage API keys" />;
  }
  await prefetch(trpc.projects.apiKeys.list.queryOptions(apiKeysInput(project.id)));
  return (
    <Hydrate>
      <ApiKeys project={project} origin={publicUrl} />
    </Hydrate>
  );
}
