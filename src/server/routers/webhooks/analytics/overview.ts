import { readerOf } from '@/server/context';
import { refuse } from '@/server/errors';
import { pageArgs, paging } from '@/server/paging';
import {
  countBacklogs,
  countDeliveries,
  deliveryTimelines,
  healthFrom,
  readBacklog,
  sumCounts,
} from '@/server/routers/webhooks/analytics/data';
import {
  dashboardInput,
  dashboardOutput,
  insightOutput,
  ownAddressOutput,
  ranges,
} from '@/server/routers/webhooks/analytics/schema';
import { administeredProjects } from '@/server/routers/webhooks/data';
import { presentReplay, replaySelect } from '@/server/routers/webhooks/deliveries/data';
import { subscriptionProcedure } from '@/server/routers/webhooks/gate';
import { userProcedure } from '@/server/trpc';

const select = {
  id: true,
  projectId: true,
  url: true,
  description: true,
  status: true,
  breakerState: true,
  healthStatus: true,
  consecutiveFailures: true,
  lastDeliveredAt: true,
  failingSince: true,
} as const;

/** Steps of the small chart of each subscription. */
const timelineSteps = 24;

/** The most subscriptions that the totals include. */
const maxSubscriptions = 5_000;

export const dashboard = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/webhooks/dashboard',
      tags: ['Webhooks'],
      summary: 'Summarize all subscriptions',
      description:
        'Totals and health of the subscriptions of every project in which you are OWNER or ADMIN, or of one of them.',
    },
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  })
  .input(dashboardInput)
  .output(dashboardOutput)
  .query(async ({ ctx, input }) => {
    const asker = await readerOf(ctx);
    const projectIds = await administeredProjects(ctx.actingUser.id, input.projectId);
    const rows = await ctx.db.webhookSubscription.findMany({
      where: { projectId: { in: projectIds } },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: maxSubscriptions,
      select,
    });
    const ids = rows.map((row) => row.id);
    const to = new Date();
    const from = new Date(to.getTime() - ranges[input.range] * 1000);
    const [counts, waiting] = await Promise.all([countDeliveries(asker, ids, from, to), countBacklogs(asker, ids)]);
    const all = rows.flatMap(({ healthStatus, consecutiveFailures, ...row }) => {
      const deliveries = counts.get(row.id);
      const backlog = waiting.get(row.id);
      if (!deliveries || !backlog) return [];
      return {
        ...row,
        healthCheck: healthStatus,
        health: healthFrom({ ...row, healthStatus, consecutiveFailures }, deliveries),
        deliveries,
        ...backlog,
        oldestAt: backlog.oldestAt?.toISOString() ?? null,
        lastDeliveredAt: row.lastDeliveredAt?.toISOString() ?? null,
        failingSince: row.failingSince?.toISOString() ?? null,
      };
    });
    const { skip, take } = pageArgs(input);
    const shown = all.slice(skip, skip + take);
    const timelines = await deliveryTimelines(
      asker,
      shown.map((row) => row.id),
      from,
      to,
      timelineSteps,
    );
    const countWhere = (test: (row: (typeof all)[number]) => boolean) => all.filter(test).length;
    const sum = (key: 'pending' | 'held') => all.reduce((total, row) => total + row[key], 0);
    return {
      items: shown.map((row) => ({ ...row, timeline: timelines.get(row.id) ?? [] })),
      ...paging(all.length, input),
      range: input.range,
      totals: {
        subscriptions: all.length,
        active: countWhere((row) => row.status === 'active'),
        paused: countWhere((row) => row.status === 'paused'),
        disabled: countWhere((row) => row.status === 'disabled'),
        breakersOpen: countWhere((row) => row.breakerState !== 'closed'),
        unhealthy: countWhere((row) => row.health === 'failing' || row.healthCheck === 'unhealthy'),
        pending: sum('pending'),
        held: sum('held'),
        deliveries: sumCounts(counts.values()),
      },
    };
  });

/**
 * What the page of a subscription shows in addition to its settings: health, waiting deliveries, and the newest bulk
 * replay.
 */
export const insight = subscriptionProcedure('webhooks:read')
  .output(insightOutput)
  .query(async ({ ctx, input }) => {
    const { id } = input;
    const asker = await readerOf(ctx);
    const to = new Date();
    const [row, counts, queue, replay] = await Promise.all([
      ctx.db.webhookSubscription.findUnique({ where: { id }, select }),
      countDeliveries(asker, [id], new Date(to.getTime() - ranges['24h'] * 1000), to),
      readBacklog(asker, id),
      ctx.db.webhookReplay.findFirst({
        where: { subscriptionId: id },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: replaySelect,
      }),
    ]);
    const last24h = counts.get(id);
    if (!row || !last24h) throw refuse('NOT_FOUND', { message: 'There is no such subscription.' });
    const { now, failed, ...backlog } = queue;
    return { now, health: healthFrom(row, last24h), backlog, last24h, failed, replay: replay && presentReplay(replay) };
  });

/** The address that a request of the caller comes from, as `ipWhitelist` would see it. */
export const ownAddress = userProcedure.output(ownAddressOutput).query(({ ctx }) => ({ address: ctx.ip }));
