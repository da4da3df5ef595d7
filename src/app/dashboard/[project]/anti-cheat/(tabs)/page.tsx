import { loadGames } from '@/app/dashboard/load-games';
import { loadProject } from '@/app/dashboard/load-project';
import { evidenceInput } from '@/components/anticheat/evidence/evidence-input';
import { DetectionQueue } from '@/components/anticheat/queue/detection-queue';
import { queueInput } from '@/components/anticheat/queue/filter';
import { antiCheatGames } from '@/domain/anticheat/games';
import { can } from '@/domain/projects/permissions';
import { api, Hydrate, orPage, prefetch, queryClient, trpc } from '@/trpc/server';

export default async function Page({
  params,
  searchParams,
}: {
  params: Promise<{ project: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const { project } = await loadProject((await params).project);
  if (!can(project.role, 'anticheat:read')) return null;
  const given = Object.entries(await searchParams).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  const query = new URLSearchParams(given);
  const options = trpc.antiCheat.review.queue.queryOptions(queueInput(project.id, query));
  const [games, tournaments] = await Promise.all([
    loadGames(project.id),
    orPage((await api()).tournaments.forProject({ projectId: project.id, limit: 100 })),
    prefetch(options),
  ]);
  const detectionId = query.get('detection') ?? queryClient().getQueryData(options.queryKey)?.items[0]?.id;
  if (detectionId) {
    const input = { projectId: project.id, detectionId };
    await Promise.all([
      prefetch(trpc.antiCheat.review.detection.queryOptions(input)),
      prefetch(trpc.antiCheat.review.reports.queryOptions(input)),
      prefetch(trpc.antiCheat.review.evidence.queryOptions(evidenceInput(input))),
    ]);
  }
  const known: readonly string[] = antiCheatGames;
  return (
    <Hydrate>
      <DetectionQueue
        project={{ id: project.id, path: `/dashboard/${project.slug}`, role: project.role }}
        games={games.flatMap(({ id, name }) => (known.includes(id) ? [{ id, name }] : []))}
        tournaments={tournaments.items.map(({ id, name }) => ({ id, name }))}
      />
    </Hydrate>
  );
}
