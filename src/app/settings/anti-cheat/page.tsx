import type { Metadata } from 'next';
import { AboutAntiCheat } from '@/components/settings/anti-cheat/about-anti-cheat';
import { AntiCheatClients } from '@/components/settings/anti-cheat/anti-cheat-clients';
import { allClientsInput } from '@/components/settings/anti-cheat/own-clients';
import { env } from '@/env';
import { Hydrate, prefetch, requireViewer, trpc } from '@/trpc/server';

export const metadata: Metadata = { title: 'Anti-cheat' };

export default async function AntiCheatPage({ searchParams }: { searchParams: Promise<{ project?: string }> }) {
  const { project } = await searchParams;
  const path = '/settings/anti-cheat';
  await requireViewer(project ? `${path}?${new URLSearchParams({ project })}` : path);
  await prefetch(trpc.antiCheat.clients.list.queryOptions(allClientsInput(1)));
  return (
    <div className="grid grid-cols-1 gap-8">
      <Hydrate>
        <AntiCheatClients linkedProjectId={project} />
      </Hydrate>
      <AboutAntiCheat asksProvider={env.ANTI_CHEAT_VERDICT_URL !== undefined} />
    </div>
  );
}
