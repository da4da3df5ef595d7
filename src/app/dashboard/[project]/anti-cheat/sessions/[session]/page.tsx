import type { Metadata } from 'next';
import { loadProject } from '@/app/dashboard/load-project';
import { SessionDetail } from '@/components/anticheat/sessions/session-detail';
import { sessionPlayersInput } from '@/components/anticheat/sessions/sessions-input';
import { can } from '@/domain/projects/permissions';
import { Hydrate, orPage, prefetch, queryClient, trpc } from '@/trpc/server';

export const metadata: Metadata = { title: 'Anti-cheat session' };

export default async function Page({ params }: { params: Promise<{ project: string; session: string }> }) {
  const { project: slug, session: sessionId } = await params;
  const { project } = await loadProject(slug);
  if (!can(project.role, 'anticheat:read')) return null;
  const projectId = project.id;
  await orPage(queryClient().fetchQuery(trpc.antiCheat.staffSessions.get.queryOptions({ projectId, sessionId })));
  await prefetch(trpc.antiCheat.staffSessions.players.queryOptions(sessionPlayersInput(projectId, sessionId, 1)));
  return (
    <Hydrate>
      <SessionDetail
        projectId={projectId}
        sessionId={sessionId}
        base={`/dashboard/${project.slug}/anti-cheat`}
        canEnd={can(project.role, 'matches:moderate')}
      />
    </Hydrate>
  );
}
