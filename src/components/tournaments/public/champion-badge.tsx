'use client';

import { useQuery } from '@tanstack/react-query';
import { Trophy } from 'lucide-react';
import { Badge } from '@/components/ui/data/badge';
import { useTRPC } from '@/trpc/client';

/** Who won the tournament. */
export function ChampionBadge({ slug }: { slug: string }) {
  const trpc = useTRPC();
  const { data: champion } = useQuery(trpc.matches.champion.queryOptions({ tournamentId: slug }, { retry: false }));
  if (!champion) return null;
  return (
    <Badge tone="gold" icon={Trophy} className="max-w-full">
      <span className="truncate">
        Champion: <bdi>{champion.name}</bdi>
      </span>
    </Badge>
  );
}
