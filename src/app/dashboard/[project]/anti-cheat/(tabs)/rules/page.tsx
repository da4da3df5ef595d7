import type { Metadata } from 'next';
import { loadProject } from '@/app/dashboard/load-project';
import { GameRules } from '@/components/anticheat/rules/game-rules';
import { antiCheatGames } from '@/domain/anticheat/games';
import { can } from '@/domain/projects/permissions';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

export const metadata: Metadata = { title: 'Anti-cheat rules' };

export default async function Page({
  params,
  searchParams,
}: {
  params: Promise<{ project: string }>;
  searchParams: Promise<{ game?: string | string[] }>;
}) {
  const { project } = await loadProject((await params).project);
  if (!can(project.role, 'anticheat:read')) return null;
  const wanted = (await searchParams).game;
  const game = antiCheatGames.find((one) => one === wanted) ?? antiCheatGames[0];
  await prefetch(trpc.antiCheat.rules.get.queryOptions({ projectId: project.id, game }));
  return (
    <Hydrate>
      <GameRules
        key={game}
        projectId={project.id}
        game={game}
        base={`/dashboard/${project.slug}/anti-cheat`}
        canChange={can(project.role, 'anticheat:write')}
      />
    </Hydrate>
  );
}
