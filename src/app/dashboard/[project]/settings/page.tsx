import type { Metadata } from 'next';
import { loadProject } from '@/app/dashboard/load-project';
import { LimitsList, LimitsNote } from '@/components/limits/limits-list';
import { ProjectSettings } from '@/components/projects/project-settings';
import { FormSection } from '@/components/ui/form/form-section';
import { can } from '@/domain/projects/permissions';
import { api } from '@/trpc/server';

export const metadata: Metadata = { title: 'Settings' };

export default async function Page({ params }: { params: Promise<{ project: string }> }) {
  const { project, viewer } = await loadProject((await params).project);
  if (!can(project.role, 'project:write')) return null;
  const { items } = await (await api()).projects.limits({ projectId: project.id });
  return (
    <>
      <ProjectSettings key={project.version} project={project} runsInstance={viewer.instanceAdmin} />
      <div className="border-t pt-8">
        <FormSection title="Limits" description={<LimitsNote whom="projects" />}>
          <LimitsList items={items} />
        </FormSection>
      </div>
    </>
  );
}
