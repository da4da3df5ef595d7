import type { Metadata } from 'next';
import { ProjectForm } from '@/components/projects/project-form';
import { SiteShell } from '@/components/shell/site-shell';
import { PageHeader } from '@/components/ui/page/page-header';
import { requireViewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'New project' };

export default async function Page() {
  const viewer = await requireViewer('/dashboard/new');
  return (
    <SiteShell viewer={viewer} width="narrow">
      <PageHeader
        title="New project"
        back={{ href: '/dashboard', label: 'Projects' }}
        description="A project has tournaments, the people who run them, API keys and webhooks. You will be its owner."
      />
      <ProjectForm />
    </SiteShell>
  );
}
