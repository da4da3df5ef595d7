'use client';

import { useQuery } from '@tanstack/react-query';
import { Trophy } from 'lucide-react';
import { useTRPC } from '@/trpc/client';

/** Who won the tournament. */
export function ChampionLine({ slug }: { slug: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.matches.standings.queryOptions({ tournamentId: slug }, { retry: false }));
  const champion = data?.final.find(({ rank }) => rank === 1);
  if (!champion) return null;
  return (
    <p className="mb-6 flex items-center gap-3 rounded border border-gold bg-gold-soft px-4 py-3 text-gold">
      <Trophy aria-hidden className="size-6 shrink-0" />
      <span className="grid min-w-0">
        <span className="label">Champion</span>
        <span className="display text-xl wrap-anywhere">
          <bdi>{champion.name}</bdi>
        </span>
      </span>
    </p>
  );
}
