import type { ReactNode } from 'react';
import { ownClientsInput } from '@/components/settings/anti-cheat/own-clients';
import { PlayerPanel } from '@/components/tournaments/public/player-panel';
import { api, Hydrate, orNull, prefetch, trpc, viewer } from '@/trpc/server';
import { loadTournament } from '../load-tournament';

type Props = { params: Promise<{ slug: string }>; children: ReactNode };

/** The pages about taking part, with the viewer's registration beside them. */
export default async function OverviewLayout({ params, children }: Props) {
  const { slug } = await params;
  const user = await viewer();
  const registration = user ? await orNull((await api()).participants.mine({ tournamentId: slug })) : null;
  const { requiresAntiCheat, project } = await loadTournament(slug);
  if (requiresAntiCheat && registration?.canCheckIn) {
    await prefetch(trpc.antiCheat.clients.list.queryOptions(ownClientsInput(project.id)));
  }
  return (
    <Hydrate>
      <div className="mx-auto grid max-w-6xl grid-cols-1 gap-x-8 gap-y-6 px-4 sm:px-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <aside className="lg:col-start-2 lg:row-start-1">
          <div className="lg:sticky lg:top-20">
            <PlayerPanel
              key={user?.id ?? ''}
              slug={slug}
              player={user ? { id: user.id, name: user.name } : null}
              initial={registration}
            />
          </div>
        </aside>
        <div className="min-w-0 lg:col-start-1 lg:row-start-1">{children}</div>
      </div>
    </Hydrate>
  );
}
