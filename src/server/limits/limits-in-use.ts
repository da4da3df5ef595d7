import { z } from 'zod';
import type { Plan } from '@/domain/projects/plans';
import { limitOf, type QuotaName, quotaOf } from '@/server/limits/quotas';

/** What is limited for a project or an account, and how much of it is used. */
export const limitsInUse = z.object({
  items: z.array(
    z.object({
      quota: z.string().meta({ example: 'webhooks' }),
      counts: z.string().meta({ description: 'What it counts.', example: 'Webhook subscriptions' }),
      used: z.number().int(),
      limit: z.number().int(),
      windowSeconds: z.number().int().nullable().meta({ description: 'Of a rate; null for a number.' }),
    }),
  ),
});

/** @param plan of the project, where plans differ */
export function presentLimits(used: Partial<Record<QuotaName, number>>, plan?: Plan): z.infer<typeof limitsInUse> {
  const items = (Object.keys(used) as QuotaName[]).map((quota) => {
    const { counts, seconds } = quotaOf(quota);
    return { quota, counts, used: used[quota] ?? 0, limit: limitOf(quota, plan), windowSeconds: seconds ?? null };
  });
  return { items };
}
