import type { Metadata } from 'next';
import { loadProject } from '@/app/dashboard/load-project';
import { SessionList } from '@/components/anticheat/sessions/session-list';
import { sessionsInput } from '@/components/anticheat/sessions/sessions-input';
import { can } from '@/domain/projects/permissions';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

export const metadata: Metadata = { title: 'Anti-cheat sessions' };

export default async function Page({ params }: { params: Promise<{ project: string }> }) {
  const { project } = await loadProject((await params).project);
  if (!can(project.role, 'anticheat:read')) return null;
  await prefetch(trpc.antiCheat.staffSessions.list.queryOptions(sessionsInput(project.id, 1)));
  return (
    <Hydrate>
      <SessionList projectId={project.id} base={`/dashboard/${project.slug}/anti-cheat`} />
    </Hydrate>
  );
}
