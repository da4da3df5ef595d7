import { z } from 'zod';
import { clientProcedure } from '@/server/trpc';
import { recordHeartbeat, requireReportsLeft, storeReports } from './data-reports';
import { heartbeatOutput, postReportsInput, postReportsOutput } from './schema';

const tags = ['Anti-cheat'];
const path = '/anti-cheat/clients/me';

export const heartbeat = clientProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/heartbeat`,
      tags,
      summary: 'Say that the client runs',
      description: 'Every 10 seconds or so. A client counts as running for a minute after it.',
    },
  })
  .input(z.object({}))
  .output(heartbeatOutput)
  .mutation(async ({ ctx }) => ({ serverTime: (await recordHeartbeat(ctx.client)).toISOString() }));

export const postReports = clientProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/reports`,
      tags,
      summary: 'Report what the client saw',
      description:
        'Up to 100 reports of at most 4 KiB and 100 fields each, all of them or none. Send a batch again when you have no response: a `sequence` that is known already changes nothing.',
    },
    quotas: ['antiCheatReports'],
  })
  .use(async ({ ctx, getRawInput, next }) => {
    requireReportsLeft(ctx.client, await getRawInput());
    return next();
  })
  .input(postReportsInput)
  .output(postReportsOutput)
  .mutation(({ ctx, input }) => storeReports(ctx.client, input.reports));
