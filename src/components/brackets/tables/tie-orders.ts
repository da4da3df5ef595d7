import type { StandingsTable } from '@/components/brackets/types';

type Group = Pick<StandingsTable['groups'][number], 'rows' | 'ties'>;

/** The ties of a table, best first as the table has them now: what a decision starts from. */
export function openingOrders({ rows, ties }: Group): string[][] {
  const rank = new Map(rows.map(({ participantId, rank: place }) => [participantId, place]));
  const place = (id: string | undefined) => rank.get(id ?? '') ?? 0;
  return ties.map((ids) => ids.toSorted((a, b) => place(a) - place(b))).sort(([a], [b]) => place(a) - place(b));
}
