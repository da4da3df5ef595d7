import type { Metadata } from 'next';
import { ProjectForm } from '@/components/projects/project-form';
import { ResendConfirmation } from '@/components/settings/resend-confirmation';
import { SiteShell } from '@/components/shell/site-shell';
import { EmptyState } from '@/components/ui/page/empty-state';
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
      {viewer.emailVerified ? (
        <ProjectForm cancelHref="/dashboard" />
      ) : (
        <EmptyState title="Confirm your email address first" action={<ResendConfirmation email={viewer.email} />}>
          Open the link in the email that we sent you, then come back to create a project.
        </EmptyState>
      )}
    </SiteShell>
  );
}
