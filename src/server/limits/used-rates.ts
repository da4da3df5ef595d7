import type { Tx } from '@/server/db';
import { type QuotaName, quotaOf, quotas, type RateName } from '@/server/limits/quotas';
import { windowKey } from '@/server/limits/take-quota';

/** How much of every rate that is counted for an account or a project was taken within its window. */
export async function usedOfRates(
  tx: Tx,
  per: 'account' | 'project',
  subject: string,
): Promise<Partial<Record<RateName, number>>> {
  const names = (Object.keys(quotas) as QuotaName[]).filter((name): name is RateName => {
    const { per: whom, seconds } = quotaOf(name);
    return whom.split(/ and | or /).includes(per) && seconds !== undefined;
  });
  const rows = await tx.$queryRaw<{ name: RateName; used: number }[]>`
    SELECT q."name", coalesce(sum(u."hits"), 0)::int AS used
    FROM unnest(${names}::text[], ${names.map((name) => windowKey(name, subject))}::text[],
      ${names.map((name) => quotas[name].seconds * 1000)}::bigint[]) AS q ("name", "key", "ms")
    LEFT JOIN "rate_limit_window" w ON w."subject" = q."key"
    LEFT JOIN LATERAL unnest(w."slots", w."hits") AS u ("slot", "hits")
      ON u."slot" + q."ms" > extract(epoch FROM clock_timestamp()) * 1000
    GROUP BY q."name"`;
  const used = new Map(rows.map((row) => [row.name, row.used]));
  return Object.fromEntries(names.map((name) => [name, used.get(name) ?? 0]));
}
