import type { Metadata } from 'next';
import { loadProject } from '@/app/dashboard/load-project';
import { invitationsInput, membersInput } from '@/components/projects/list-inputs';
import { LeaveProject } from '@/components/projects/members/leave-project';
import { Members } from '@/components/projects/members/members';
import { RoleNotice } from '@/components/projects/role-notice';
import { can } from '@/domain/projects/permissions';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

export const metadata: Metadata = { title: 'Members' };

export default async function Page({ params }: { params: Promise<{ project: string }> }) {
  const { viewer, project } = await loadProject((await params).project);
  if (!can(project.role, 'members:read')) {
    return (
      <RoleNotice title="Members" role={project.role} needs="members:read" what="see and manage members">
        <LeaveProject project={{ id: project.id, name: project.name }} viewerId={viewer.id} />
      </RoleNotice>
    );
  }
  await Promise.all([
    prefetch(trpc.projects.members.list.queryOptions(membersInput(project.id))),
    prefetch(trpc.projects.invitations.list.queryOptions(invitationsInput(project.id))),
  ]);
  const { id, slug, name, role } = project;
  return (
    <Hydrate>
      <Members project={{ id, slug, name, role }} viewerId={viewer.id} />
    </Hydrate>
  );
}
