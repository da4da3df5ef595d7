import type { Prisma } from '@/generated/prisma/client';

export const replaySelect = {
  id: true,
  subscriptionId: true,
  filter: true,
  total: true,
  done: true,
  createdAt: true,
  finishedAt: true,
} as const satisfies Prisma.WebhookReplaySelect;

type Row = Prisma.WebhookReplayGetPayload<{ select: typeof replaySelect }>;

/** A replay as the API returns it. */
export function presentReplay({ id, subscriptionId, filter, total, done, createdAt, finishedAt }: Row) {
  return {
    id,
    subscriptionId,
    filter: filter as Prisma.JsonObject,
    total,
    done,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}
