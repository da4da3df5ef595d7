import { Plus } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { redirect } from 'next/navigation';
import { myProjects } from '@/app/dashboard/load-project';
import { ProjectForm } from '@/components/projects/project-form';
import { SiteShell } from '@/components/shell/site-shell';
import { Avatar } from '@/components/ui/data/avatar';
import { Badge } from '@/components/ui/data/badge';
import { Card } from '@/components/ui/data/card';
import { ButtonLink } from '@/components/ui/form/button';
import { PageHeader } from '@/components/ui/page/page-header';
import { plans } from '@/domain/projects/plans';
import { roleWords } from '@/domain/projects/roles';
import { requireViewer } from '@/trpc/server';

export const metadata: Metadata = { title: 'Projects' };

export default async function Page() {
  const viewer = await requireViewer('/dashboard');
  const projects = await myProjects();
  const [only] = projects;
  if (only && projects.length === 1) redirect(`/dashboard/${only.slug}`);

  if (!only) {
    return (
      <SiteShell viewer={viewer} width="narrow">
        <PageHeader
          title="Run your first tournament"
          description="Tournaments belong to a project: your league, club or community. It also has its members, API keys and webhooks."
        />
        <Card title="Create a project" description="You will be its owner. You can change its name and URL later.">
          <ProjectForm />
        </Card>
        <p className="mt-6 text-muted">
          Is someone else running the project? Ask them to invite you, then open the link in the email.
        </p>
      </SiteShell>
    );
  }

  return (
    <SiteShell viewer={viewer}>
      <PageHeader
        title="Projects"
        actions={
          <ButtonLink href="/dashboard/new" icon={<Plus aria-hidden />}>
            New project
          </ButtonLink>
        }
      />
      <ul className="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {projects.map((project) => (
          <li key={project.id}>
            <Link
              href={`/dashboard/${project.slug}`}
              className="flex items-center gap-4 rounded border bg-surface p-4 hover:border-line-strong"
            >
              <Avatar name={project.name} square size="lg" />
              <span className="min-w-0 flex-1">
                <span className="display block truncate text-lg" dir="auto">
                  {project.name}
                </span>
                <span className="block truncate text-muted">{roleWords[project.role].name}</span>
              </span>
              <Badge>{plans[project.plan].name}</Badge>
            </Link>
          </li>
        ))}
      </ul>
    </SiteShell>
  );
}
